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
}

// calls are what a frontend needs to draw, query, and save its settings. What the host has besides,
// such as users, tokens and other plugins, is out of reach.
func calls() []call {
	return []call{
		{"GET", "/api/frontend/settings"},
		{"GET", "/api/plugins"},
		{"GET POST", "/api/plugins/{id}/settings"},
		{"GET", "/api/plugins/{id}/health"},
		{"", "/api/plugins/{id}/resources/**"},
		{"", "/api/plugin-proxy/{id}/**"},
		{"GET POST", "/api/datasources"},
		{"GET PUT", "/api/datasources/*"},
		{"GET", "/api/datasources/name/*"},
		{"GET PUT", "/api/datasources/uid/*"},
		{"GET", "/api/datasources/uid/*/health"},
		{"", "/api/datasources/uid/*/resources/**"},
		{"", "/api/datasources/#/resources/**"},
		{"", "/api/datasources/proxy/uid/*/**"},
		{"", "/api/datasources/proxy/*/**"},
		{"POST", "/api/ds/query"},
		{"GET", "/api/search"},
		{"GET", "/api/dashboards/uid/*"},
		{"GET", "/api/folders"},
		{"GET", "/api/folders/*"},
		{"GET", "/api/user"},
		{"GET", "/api/org"},
		{"GET", "/api/live/events"},
		{"POST", "/api/live/publish"},
	}
}

// allows reports whether a request is the call. Paths are compared as they are sent: one with other
// escapes is another path.
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
	if !slices.ContainsFunc(calls(), func(c call) bool { return c.allows(r.Method, path, s.isMounted) }) {
		refuse(w, http.StatusForbidden, "refused", r.Method+" "+path+" is not available in the preview")
		return
	}
	s.forward(w, r, roleOf(r.Header.Get("X-Preview-Role")))
}

// roleOf returns the name of a role, which is that of an administrator unless it is a weaker one.
func roleOf(name string) string {
	if name == "Viewer" || name == "Editor" {
		return name
	}
	return "Admin"
}

// forward passes a request on to the API, without what a browser says about who sends it: that is
// decided here.
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
