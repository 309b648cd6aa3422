package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/loader"
)

// A token is accepted as the password of the user api_key.
func TestTokenAsPassword(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	token := strings.TrimPrefix(f.viewer, "Bearer ")
	for _, c := range []struct {
		login, password string
		status          int
	}{{"api_key", token, 200}, {"api_key", "x", 401}, {"api_key", "", 401}, {"admin", token, 401}, {"API_KEY", token, 401}} {
		f.check(t, c.login, c.status, "GET", "/api/playlists", basic(c.login, c.password), "")
	}
}

// Those routes of a data source by uid that clients use exist by numeric id or by name.
func TestDataSourceByID(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	created := want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"Main","uid":"main","type":%q,"url":"https://db.example"}`, pluginID))
	one := fmt.Sprintf("/api/datasources/%v", created["id"])
	wantFields(t, "data source by id", want[object](t, f, 200, "GET", one, f.admin, ""), object{"uid": "main", "name": "Main"})
	byUID, byID := f.do("GET", "/api/datasources/uid/main/resources/context", f.viewer, ""), f.do("GET", one+"/resources/context", f.viewer, "")
	if byID.status != 200 || byID.body != byUID.body {
		t.Errorf("resource by id: %+v, by uid: %+v", byID, byUID)
	}
	for target, status := range map[string]int{
		one + "/resources": byStatus(f, "/api/datasources/uid/main/resources"), one + "/resources/": byStatus(f, "/api/datasources/uid/main/resources"),
		one + "/nope": 404, "/api/datasources/99/resources/x": 404,
		"/api/datasources/proxy/99/x": 404, one + "/resources/%2e%2e/x": 400,
		strings.Replace(one, "datasources/", "datasources/proxy/", 1) + "/nope": byStatus(f, "/api/datasources/proxy/uid/main/nope"),
	} {
		f.check(t, "", status, "GET", target, f.admin, "")
	}
	changed := want[object](t, f, 200, "PUT", one, f.admin, fmt.Sprintf(`{"name":"Other","type":%q,"url":"https://db.example"}`, pluginID))
	wantFields(t, "changed data source", changed["datasource"].(object), object{"uid": "main", "name": "Other", "version": 2.0})
	want[object](t, f, 200, "DELETE", "/api/datasources/uid/main", f.admin, "")
	want[object](t, f, 404, "GET", one, f.admin, "")
}

func byStatus(f *fixture, target string) int { return f.do("GET", target, f.admin, "").status }

// An unhealthy data source answers 400, which its clients expect, and an unhealthy plugin
// 503.
func TestUnhealthyDataSource(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"Bad","uid":"bad","type":%q,"url":"bad"}`, pluginID))
	got := want[object](t, f, 400, "GET", "/api/datasources/uid/bad/health", f.viewer, "")
	wantFields(t, "health", got, object{"status": "ERROR"})
}

func TestUserRoutes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	admin := basic("admin", adminPassword)
	for _, target := range []string{"/api/users", "/api/org/users", "/api/users?query=DM"} {
		found := want[[]object](t, f, 200, "GET", target, f.admin, "")
		if len(found) != 1 || found[0]["login"] != "admin" {
			t.Errorf("%s: %v", target, found)
		}
	}
	if found := want[[]object](t, f, 200, "GET", "/api/users?page=2", f.admin, ""); len(found) != 0 {
		t.Errorf("second page: %v", found)
	}
	wantFields(t, "user", want[object](t, f, 200, "GET", "/api/user", admin, ""), object{"login": "admin", "isGrafanaAdmin": true, "role": "Admin", "kind": "user"})
	if teams := want[[]object](t, f, 200, "GET", "/api/users/1/teams", f.admin, ""); len(teams) != 0 {
		t.Errorf("teams: %v", teams)
	}
	wantFields(t, "teams", want[object](t, f, 200, "GET", "/api/teams/search?perpage=7", f.viewer, ""), object{"totalCount": 0.0, "perPage": 7.0, "teams": []any{}})
}

func TestFrontendSettings(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	want[object](t, f, 200, "POST", "/api/datasources", f.admin,
		fmt.Sprintf(`{"name":"Main","uid":"main","type":%q,"isDefault":true,"jsonData":{"a":1},"secureJsonData":{"k":"s3cret"}}`, pluginID))
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, `{"name":"Gone","type":"acme-gone-datasource"}`)
	got := f.do("GET", "/api/frontend/settings", f.viewer, "")
	settings := decoded[object](t, got.body)
	sources := settings["datasources"].(object)
	if len(sources) != 1 || settings["defaultDatasource"] != "Main" || strings.Contains(got.body, "s3cret") {
		t.Errorf("settings: %s", got.body)
	}
	main := sources["Main"].(object)
	wantFields(t, "data source", main, object{"uid": "main", "url": "/api/datasources/proxy/uid/main", "jsonData": object{"a": 1.0}, "isDefault": true})
	wantFields(t, "plugin", main["meta"].(object), object{"id": pluginID, "baseUrl": "public/plugins/" + pluginID, "module": "public/plugins/" + pluginID + "/module.js"})
	if sources := want[object](t, f, 200, "GET", "/api/frontend/settings", f.plugin, "")["datasources"].(object); len(sources) != 0 {
		t.Errorf("data sources for a caller who may query none: %v", sources)
	}
}

const withInfo = `{"id":"acme-info-app","type":"app","name":"Info","info":{"version":"1.2.0","updated":"2024-05-06","description":"d",
	"keywords":["a"],"author":{"name":"Acme"},"links":[{"name":"site","url":"https://acme.example"}],
	"logos":{"small":"img/s.svg","large":"https://acme.example/l.svg"},"screenshots":[{"name":"one","path":"img/one.png"}]},
	"dependencies":{"grafanaDependency":">=9.0.0","plugins":[{"id":"acme-x-panel","name":"X","type":"panel","version":"1.0.0"}]},
	"includes":[{"type":"page","name":"Home","path":"/a/acme-info-app","defaultNav":true}]}`

// The list of plugins and the settings of each have the fields that clients of existing hosts read.
func TestPluginListFields(t *testing.T) {
	t.Parallel()
	f := withMounted(t, strings.Replace(withInfo, `{`, `{"category":"tsdb","state":"beta","autoEnabled":true,`, 1), loader.Options{})
	const panel = `{"id":"acme-x-panel","type":"panel","name":"X","info":{"version":"2.0.0"}}`
	about := object{"id": "acme-info-app", "name": "Info", "type": "app", "category": "tsdb", "state": "beta", "enabled": true, "pinned": true,
		"defaultNavUrl": "/a/acme-info-app", "latestVersion": "", "hasUpdate": false, "signature": "unsigned", "signatureType": "", "signatureOrg": ""}
	list := func(query string) []any { return want[[]any](t, f, 200, "GET", "/api/plugins"+query, f.viewer, "") }
	all := list("")
	if len(all) != 1 {
		t.Fatalf("%v", all)
	}
	got := all[0].(object)
	wantFields(t, "list", got, about)
	wantFields(t, "info", got["info"].(object), object{"version": "1.2.0", "updated": "2024-05-06", "author": object{"name": "Acme"}, "keywords": []any{"a"},
		"logos": object{"small": "public/plugins/acme-info-app/img/s.svg", "large": "https://acme.example/l.svg"},
		"links": []any{object{"name": "site", "url": "https://acme.example"}}})
	wantFields(t, "dependencies", got["dependencies"].(object), object{"grafanaDependency": ">=9.0.0",
		"plugins": []any{object{"id": "acme-x-panel", "name": "X", "type": "panel", "version": "1.0.0"}}})
	if apps := want[object](t, f, 200, "GET", "/api/frontend/settings", f.viewer, "")["apps"].(object); len(apps) != 1 {
		t.Errorf("apps: %v", apps)
	}
	const settings = "/api/plugins/acme-info-app/settings"
	got = want[object](t, f, 200, "GET", settings, f.viewer, "")
	wantFields(t, "settings", got, about)
	wantFields(t, "settings", got, object{"module": "public/plugins/acme-info-app/module.js", "baseUrl": "public/plugins/acme-info-app",
		"autoEnabled": true, "includes": []any{object{"type": "page", "name": "Home", "slug": "home",
			"path": "/a/acme-info-app", "uid": "", "role": "", "addToNav": false, "defaultNav": true, "icon": "", "component": ""}}})
	want[object](t, f, 200, "POST", settings, f.admin, `{"enabled":false,"pinned":false}`)
	wantFields(t, "a disabled app", list("")[0].(object), object{"enabled": false, "pinned": false})
	for query, length := range map[string]int{"?enabled=1": 0, "?type=app": 1, "?type=panel": 0, "?type=app&embedded=0&core=0": 1} {
		if got := list(query); len(got) != length {
			t.Errorf("%s: %d plugins, want %d", query, len(got), length)
		}
	}
	f = withMounted(t, panel, loader.Options{})
	if got := want[[]any](t, f, 200, "GET", "/api/plugins?enabled=1&type=panel", f.viewer, ""); len(got) != 1 {
		t.Errorf("a panel cannot be disabled: %v", got)
	}
}

// What existing hosts serve and this one does not is named.
func TestMissingPaths(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.EndStreams() // a stream does not end by itself
	for _, m := range api.MissingPaths() {
		target := strings.ReplaceAll(m.Path, "*", "99")
		for _, target := range []string{target, target + "/x/y", target + "/"} {
			for _, method := range []string{"GET", "POST", "DELETE"} {
				got := f.do(method, target, f.admin, "")
				if got.status != 404 || got.message() != "this host has no "+m.What {
					t.Errorf("%s %s: %+v", method, target, got)
				}
			}
		}
	}
	for _, route := range f.Routes() {
		if got := f.do(method(route), target(route), f.viewer, ""); strings.HasPrefix(got.message(), "this host has no") {
			t.Errorf("%s %s is served, but listed as missing", route.Method, route.Pattern)
		}
	}
	if got := f.do("GET", "/api/annotation", f.admin, ""); got.message() != "Path not found" {
		t.Errorf("a path of nothing: %+v", got)
	}
}
