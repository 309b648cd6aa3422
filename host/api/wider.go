package api

import (
	"net/http"
	"slices"
	"strings"
)

// widened are the patterns that the mux rejects next to others, since neither is more
// specific: /api/datasources/{id}/resources/{path...} and /api/datasources/uid/{uid}/resources/{path...}
// both match uid/resources/resources. It accepts a pattern that is less specific than either.
func widened() map[string]string {
	return map[string]string{
		migratePath:                       "/api/serviceaccounts/{verb}/{keyId}",
		"/api/datasources/{id}/resources": "/api/datasources/{id}/{verb}",
	}
}

// alternative is a route behind a wider pattern.
type alternative struct {
	pattern string
	handler http.Handler
	isWhole bool // the path ends with the pattern, but for a slash
}

// end is what a pattern for a path with a slash at its end ends with.
const end = "/{$}"

// register registers the handler of a pattern. It collects those that need a wider
// pattern, by that pattern and the value of {verb} that selects the route.
func register(mux *http.ServeMux, wide map[string]map[string]alternative, pattern string, handler http.Handler) {
	for narrow, wider := range widened() {
		rest, ok := strings.CutPrefix(pattern, narrow)
		if !ok || rest != "" && rest[0] != '/' {
			continue
		}
		route := alternative{pattern, handler, rest == end}
		if route.isWhole { // the mux would reject a wider pattern with this end next to others
			rest = "/{path...}"
		}
		if wide[wider+rest] == nil {
			wide[wider+rest] = map[string]alternative{}
		}
		n := slices.Index(strings.Split(wider, "/"), "{verb}")
		verb := strings.Split(narrow, "/")[n]
		if _, taken := wide[wider+rest][verb]; !taken || !route.isWhole {
			wide[wider+rest][verb] = route
		}
		return
	}
	mux.Handle(pattern, handler)
}

// choose dispatches to the route that {verb} selects.
func (a *API) choose(routes map[string]alternative) http.Handler {
	return a.serve(func(w http.ResponseWriter, r *http.Request) error {
		route, ok := routes[r.PathValue("verb")]
		if !ok || route.isWhole && r.PathValue("path") != "" {
			return missing(r.URL.Path)
		}
		r.Pattern = route.pattern
		route.handler.ServeHTTP(w, r)
		return nil
	})
}
