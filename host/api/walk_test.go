package api_test

import (
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// target returns a path that matches a pattern and refers to nothing that exists.
func target(route api.Route) string {
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(route.Pattern, "99")
}

func method(route api.Route) string {
	if route.Method == "" {
		return http.MethodGet
	}
	return route.Method
}

// isOpen reports whether everybody may use a route, and whether everybody with
// credentials may.
func isOpen(route api.Route) (toAll, toSignedIn bool) {
	switch route.Method + " " + route.Pattern {
	case "GET /api/health", "GET /metrics", "GET /api/openapi.json", "GET /avatar/{hash}", "GET /public/plugins/{id}/{path...}", "POST /api/session":
		return true, true
	case "GET /api/user", "GET /api/plugins", "GET /api/plugins/events", "GET /api/access-control/user/permissions",
		"GET /api/teams/search", "GET /api/frontend/settings",
		"DELETE /api/session", "GET /api/sessions", "DELETE /api/sessions/{id}":
		return false, true
	}
	return false, false
}

func TestEveryRouteAsksForItsPermission(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.EndStreams() // a stream does not end by itself
	powerless := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-powerless", "test", nil))(t)
	none := "Bearer " + powerless.Secret()
	for _, route := range f.Routes() {
		name := method(route) + " " + route.Pattern
		toAll, toSignedIn := isOpen(route)
		other := target(route) + "/"
		if strings.HasSuffix(route.Pattern, "...}") {
			other = path.Dir(target(route))
		}
		for _, target := range []string{target(route), other} {
			if got := f.do(method(route), target, "", ""); (got.status == 401) == toAll || !toAll && got.body != `{"message":"Unauthorized"}` {
				t.Errorf("%s (%s) without credentials: %+v", name, target, got)
			}
			if got := f.do(method(route), target, none, ""); (got.status == 403) == toSignedIn || !toSignedIn && got.message() != "Permission denied" {
				t.Errorf("%s (%s) with no role: %+v", name, target, got)
			}
			if got := f.do(method(route), target, f.admin, ""); got.status == 401 || got.status == 403 || got.status == 405 || got.status >= 500 {
				t.Errorf("%s (%s) as an admin: %+v", name, target, got)
			}
			if route.Method == "" {
				continue
			}
			got := f.do("BREW", target, "", "")
			if got.status != 405 || !strings.Contains(got.header.Get("Allow"), route.Method) || !strings.Contains(got.message(), "BREW") {
				t.Errorf("%s (%s) with a wrong method: %+v", name, target, got)
			}
			if route.Method == "GET" && f.do("HEAD", target, f.admin, "").status == 405 {
				t.Errorf("%s (%s) has no HEAD", name, target)
			}
		}
	}
}

// TestRoles compares the permissions in the table with an independent list of the weakest
// role for each route.
func TestRoles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	weakest := map[string]host.Role{
		"GET /api/org":                                      host.RoleViewer,
		"GET /api/playlists":                                host.RoleViewer,
		"GET /api/playlists/{uid}":                          host.RoleViewer,
		"GET /api/playlists/{uid}/items":                    host.RoleViewer,
		"GET /api/folders":                                  host.RoleViewer,
		"GET /api/folders/{uid}":                            host.RoleViewer,
		"POST /api/playlists":                               host.RoleEditor,
		"PUT /api/playlists/{uid}":                          host.RoleEditor,
		"DELETE /api/playlists/{uid}":                       host.RoleEditor,
		"POST /api/folders":                                 host.RoleEditor,
		"DELETE /api/folders/{uid}":                         host.RoleEditor,
		"POST /api/auth/keys":                               host.RoleEditor,
		"GET /api/auth/keys":                                host.RoleAdmin,
		"DELETE /api/auth/keys/{id}":                        host.RoleAdmin,
		"POST /api/serviceaccounts":                         host.RoleAdmin,
		"GET /api/serviceaccounts/search":                   host.RoleAdmin,
		"GET /api/serviceaccounts/{id}":                     host.RoleAdmin,
		"PATCH /api/serviceaccounts/{id}":                   host.RoleAdmin,
		"DELETE /api/serviceaccounts/{id}":                  host.RoleAdmin,
		"POST /api/serviceaccounts/{id}/tokens":             host.RoleAdmin,
		"GET /api/serviceaccounts/{id}/tokens":              host.RoleAdmin,
		"DELETE /api/serviceaccounts/{id}/tokens/{tokenId}": host.RoleAdmin,
		"GET /api/playlists/{uid}/dashboards":               host.RoleViewer,
		"GET /api/v1/provisioning/playlists/export":         host.RoleViewer,
		"PUT /api/folders/{uid}":                            host.RoleEditor,
		"GET /api/access-control/roles":                     host.RoleAdmin,
		"GET /api/plugins/{id}/metrics":                     host.RoleAdmin,
		"GET /api/plugins/{id}/logs":                        host.RoleAdmin,
		"POST /api/plugins/{id}/restart":                    host.RoleAdmin,
		"POST /api/plugins/{id}/reload":                     host.RoleAdmin,
		"GET /api/plugins/{id}/changes":                     host.RoleAdmin,
		"GET /api/plugins/errors":                           host.RoleAdmin,
		"GET /api/plugins/changes":                          host.RoleAdmin,
		"GET /api/plugins/{id}/health":                      host.RoleViewer,
		"/api/plugins/{id}/resources/{path...}":             host.RoleViewer,
		"/api/plugin-proxy/{id}/{path...}":                  host.RoleViewer,
		"/api/datasources/proxy/uid/{uid}/{path...}":        host.RoleViewer,
		"/api/datasources/uid/{uid}/resources/{path...}":    host.RoleViewer,
		"POST /api/ds/query":                                host.RoleViewer,
		"GET /api/org/users":                                host.RoleAdmin,
		"GET /api/users":                                    host.RoleAdmin,
		"GET /api/users/{id}/teams":                         host.RoleAdmin,
		"GET /api/plugins/{id}/dashboards":                  host.RoleViewer,
		"POST /api/dashboards/import":                       host.RoleEditor,
		"GET /api/datasources/{id}":                         host.RoleAdmin,
		"PUT /api/datasources/{id}":                         host.RoleAdmin,
		"DELETE /api/datasources/{id}":                      host.RoleAdmin,
		"DELETE /api/datasources/name/{name}":               host.RoleAdmin,
		"/api/datasources/{id}/resources/{path...}":         host.RoleViewer,
		"/api/datasources/proxy/{id}/{path...}":             host.RoleViewer,
		"GET /api/live/events":                              host.RoleViewer,
		"POST /api/live/publish":                            host.RoleViewer,
		"GET /api/datasources":                              host.RoleAdmin,
		"POST /api/datasources":                             host.RoleAdmin,
		"GET /api/datasources/name/{name}":                  host.RoleAdmin,
		"GET /api/datasources/uid/{uid}":                    host.RoleAdmin,
		"PUT /api/datasources/uid/{uid}":                    host.RoleAdmin,
		"DELETE /api/datasources/uid/{uid}":                 host.RoleAdmin,
		"GET /api/datasources/uid/{uid}/health":             host.RoleViewer,
		"GET /api/plugins/{id}/settings":                    host.RoleViewer,
		"POST /api/plugins/{id}/settings":                   host.RoleAdmin,
		"GET /api/search":                                   host.RoleViewer,
		"POST /api/dashboards/db":                           host.RoleEditor,
		"GET /api/dashboards/uid/{uid}":                     host.RoleViewer,
		"DELETE /api/dashboards/uid/{uid}":                  host.RoleEditor,
		"POST /api/serviceaccounts/migrate/{keyId}":         host.RoleEditor,
		"POST /api/serviceaccounts/migrate":                 host.RoleEditor,
	}
	tried := 0
	for _, route := range f.Routes() {
		name := strings.TrimSpace(route.Method + " " + route.Pattern)
		needed, ok := weakest[name]
		if _, isOpen := isOpen(route); isOpen {
			continue
		}
		if !ok {
			t.Errorf("%s: add its weakest role to weakest", name)
			continue
		}
		tried++
		for role, credential := range map[host.Role]string{host.RoleViewer: f.viewer, host.RoleEditor: f.editor, host.RoleAdmin: f.admin} {
			if got := f.do(method(route), target(route), credential, ""); (got.status == 403) != (role < needed) {
				t.Errorf("%s %s as %s: %+v", route.Method, route.Pattern, role, got)
			}
		}
	}
	if tried != len(weakest) {
		t.Errorf("%d of %d routes in the list exist", tried, len(weakest))
	}
}

// A grant allows the routes of its action within its scope, and no others.
func TestGrants(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mine := want[object](t, f, 200, "POST", "/api/playlists", f.editor, `{"name":"mine","interval":"5m"}`)["uid"].(string)
	other := want[object](t, f, 200, "POST", "/api/playlists", f.editor, `{"name":"other","interval":"5m"}`)["uid"].(string)
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-narrow", "test", []host.Grant{
		{Action: access.PlaylistsRead, Scope: "playlists:uid:" + mine}, {Action: access.PlaylistsWrite},
		{Action: access.ServiceAccountsWrite}}))(t)
	narrow := "Bearer " + token.Secret()
	for _, c := range []struct {
		method, target, body string
		status               int
	}{
		{"GET", "/api/playlists/" + mine, "", 200},
		{"GET", "/api/playlists/" + other, "", 403},
		{"GET", "/api/playlists", "", 403},
		{"POST", "/api/playlists", `{"name":"x","interval":"5m"}`, 200},
		{"DELETE", "/api/playlists/" + other, "", 200},
		{"GET", "/api/folders", "", 403},
		{"POST", "/api/serviceaccounts", `{"name":"boss","role":"Admin"}`, 403}, // above the role of the caller
		{"POST", "/api/serviceaccounts/1/tokens", `{"name":"t"}`, 403},
		{"DELETE", "/api/serviceaccounts/1", "", 403},
		{"POST", "/api/auth/keys", `{"name":"k","role":"Viewer"}`, 200},
		{"POST", "/api/auth/keys", `{"name":"k","role":"Admin"}`, 403},
	} {
		f.check(t, "", c.status, c.method, c.target, narrow, c.body)
	}
}
