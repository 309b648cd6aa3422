package preview

import (
	"net/http"
	"slices"
	"strings"
)

// call is a call of the API that the page may make.
type call struct {
	methods string // separated by spaces; "" allows all
	// pattern has * for a segment, # for one that is a number, {id} for the id of a plugin of the repository, and ** for the rest.
	pattern string
	// isOfPlugin says that a plugin answers, or a service that it calls through the host: such answers are checked and recorded.
	isOfPlugin bool
}

// calls are what a frontend needs. Users, tokens and other plugins, for example, are out of reach.
func calls() []call {
	return []call{
		{"GET", "/api/frontend/settings", false},
		{"GET", "/api/plugins", false},
		{"GET POST", "/api/plugins/{id}/settings", false},
		{"GET", "/api/plugins/{id}/health", true},
		{"", "/api/plugins/{id}/resources/**", true},
		{"", "/api/plugin-proxy/{id}/**", true},
		{"GET POST", "/api/datasources", false},
		{"GET PUT", "/api/datasources/*", false},
		{"GET", "/api/datasources/name/*", false},
		{"GET PUT", "/api/datasources/uid/*", false},
		{"GET", "/api/datasources/uid/*/health", true},
		{"", "/api/datasources/uid/*/resources/**", true},
		{"", "/api/datasources/#/resources/**", true},
		{"", "/api/datasources/proxy/uid/*/**", true},
		{"", "/api/datasources/proxy/*/**", true},
		{"POST", "/api/ds/query", true},
		{"GET", "/api/search", false},
		{"GET", "/api/dashboards/uid/*", false},
		{"GET", "/api/folders", false},
		{"GET", "/api/folders/*", false},
		{"GET", "/api/user", false},
		{"GET", "/api/org", false},
		{"GET", "/api/teams/search", false}, // which is empty
		{"GET", "/api/live/events", false},
		{"POST", "/api/live/publish", false},
	}
}

// allows reports whether a request is the call. A path with other escapes is another path.
func (c call) allows(method, path string, isMounted func(id string) bool) bool {
	if c.methods != "" && !slices.Contains(strings.Fields(c.methods), method) {
		return false
	}
	have := strings.Split(strings.TrimSuffix(path, "/"), "/")
	for i, want := range strings.Split(c.pattern, "/") {
		switch {
		case want == "**":
			return true
		case i >= len(have):
			return false
		case want == "*" && have[i] != "", want == "#" && have[i] != "" && strings.Trim(have[i], "0123456789") == "", want == "{id}" && isMounted(have[i]), want == have[i]:
		default:
			return false
		}
	}
	return strings.Count(c.pattern, "/") == len(have)-1
}

// call passes a call on to the API, or refuses it.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	i := slices.IndexFunc(calls(), func(c call) bool { return c.allows(r.Method, path, s.isMounted) })
	if i < 0 {
		refuse(w, http.StatusForbidden, "refused", r.Method+" "+path+" is not available in the preview")
		return
	}
	next := func(w http.ResponseWriter, r *http.Request) { s.forward(w, r, roleOf(r.Header.Get("X-Preview-Role"))) }
	if s.Answers != nil && calls()[i].isOfPlugin {
		s.Answers.serve(w, r, next)
		return
	}
	next(w, r)
}

// IsOfPlugin reports whether a plugin answers a call itself, or a service that it calls through the host. The path may have a query.
func IsOfPlugin(method, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	return slices.ContainsFunc(calls(), func(c call) bool {
		return c.isOfPlugin && c.allows(method, path, func(string) bool { return true })
	})
}

// roleOf returns the name of a role, which is that of an administrator unless it is a weaker one.
func roleOf(name string) string {
	if name == "Viewer" || name == "Editor" {
		return name
	}
	return "Admin"
}

// forward passes a request on to the API, without what a browser says about its sender.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, role string) {
	out := r.Clone(r.Context())
	out.Host = "localhost"
	for name := range out.Header {
		if strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "X-Preview-") ||
			slices.Contains([]string{"Cookie", "Authorization", "Origin", "Referer"}, name) {
			out.Header.Del(name)
		}
	}
	s.API(role).ServeHTTP(w, out)
}
