package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

func TestDataSources(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	body := func(rest string) string { return fmt.Sprintf(`{"name":"Main","type":%q%s}`, pluginID, rest) }
	created := want[object](t, f, 200, "POST", "/api/datasources", f.admin,
		body(`,"uid":"main","url":"https://db.example","access":"proxy","jsonData":{"a":1},"secureJsonData":{"token":"s3cret","old":"x"},"isDefault":true,"more":1`))
	wantFields(t, "creation", created, object{"message": "Datasource added"})
	wantFields(t, "new data source", created["datasource"].(object), object{
		"uid": "main", "version": 1.0, "access": "proxy", "orgId": 1.0, "secureJsonFields": object{"old": true, "token": true},
	})
	for _, target := range []string{"/api/datasources", "/api/datasources/uid/main", "/api/datasources/name/Main"} {
		got := f.do("GET", target, f.admin, "")
		if got.status != 200 || strings.Contains(got.body, "s3cret") || !strings.Contains(got.body, `"jsonData":{"a":1}`) {
			t.Errorf("%s: %+v", target, got)
		}
	}
	seen := func() string { return f.do("GET", "/api/datasources/uid/main/resources/context", f.viewer, "").body }
	if got := seen(); !strings.Contains(got, `"token":"s3cret"`) || !strings.Contains(got, `"UID":"main"`) || !strings.Contains(got, `"URL":"https://db.example"`) {
		t.Errorf("context of the plugin: %s", got)
	}
	if got := want[object](t, f, 200, "GET", "/api/datasources/uid/main/health", f.viewer, ""); got["message"] != "https://db.example" {
		t.Errorf("health: %v", got)
	}
	// Stored secrets are not sent to another address or to another plugin.
	for _, change := range []string{
		body(`,"url":"https://evil.example"`), body(`,"url":"https://db.example","jsonData":{"a":{"b":["https://evil.example/x"]}}`),
		`{"name":"Main","type":"acme-evil-datasource","url":"https://db.example"}`, body(`,"url":"https://evil.example","secureJsonData":{"old":"y"}`),
	} {
		if got := f.do("PUT", "/api/datasources/uid/main", f.admin, change); got.status != 400 || !strings.HasPrefix(got.message(), "secureJsonData.") {
			t.Errorf("%s: %+v", change, got)
		}
	}
	want[object](t, f, 200, "PUT", "/api/datasources/uid/main", f.admin, body(`,"url":"https://db.example/v2"`))
	want[object](t, f, 200, "PUT", "/api/datasources/uid/main", f.admin, body(`,"url":"https://db.example","isDefault":true`))
	// Secrets that are absent are kept, null removes one.
	updated := want[object](t, f, 200, "PUT", "/api/datasources/uid/main", f.admin, body(`,"url":"https://db.example","secureJsonData":{"old":null,"new":"n"}`))["datasource"].(object)
	wantFields(t, "updated data source", updated, object{"version": 4.0, "isDefault": false, "secureJsonFields": object{"new": true, "token": true}})
	if got := seen(); !strings.Contains(got, `"token":"s3cret"`) || strings.Contains(got, `"old"`) {
		t.Errorf("context of the plugin after the update: %s", got)
	}
	for body, field := range map[string]string{
		`{}`:                              "name",
		`{"name":"x"}`:                    "type",
		body(`,"access":"direct"`):        "access",
		body(`,"uid":"a/b"`):              "uid",
		body(`,"url":"http://u:p@h"`):     "url",
		body(`,"url":"u:p@db:27017"`):     "url",
		body(`,"url":"http://[::1"`):      "url",
		body(`,"jsonData":[]`):            "jsonData",
		body(`,"secureJsonData":{"a":1}`): "secureJsonData.a",
		body(`,"secureJsonData":{"a":"` + strings.Repeat("x", 1<<16+1) + `"}`): "secureJsonData.a",
		body(`,"user":"a\u0000"`): "user",
	} {
		if got := f.do("POST", "/api/datasources", f.admin, body); got.status != 400 || !strings.HasPrefix(got.message(), field+":") {
			t.Errorf("%.80s: %+v, want 400 naming %s", body, got, field)
		}
	}
	f.check(t, "creation with a name that is taken", 409, "POST", "/api/datasources", f.admin, body(""))
	want[object](t, f, 200, "DELETE", "/api/datasources/uid/main", f.admin, "")
	want[object](t, f, 404, "GET", "/api/datasources/uid/main", f.admin, "")
	want[object](t, f, 404, "GET", "/api/datasources/uid/main/health", f.viewer, "")
	// A data source with the same uid does not inherit secrets.
	again := want[object](t, f, 200, "POST", "/api/datasources", f.admin, body(`,"uid":"main"`))["datasource"].(object)
	if len(again["secureJsonFields"].(object)) != 0 {
		t.Errorf("secrets of a new data source with the same uid: %v", again)
	}
}

// A request can query several data sources, each with its own settings, and a failed query
// does not affect others.
func TestQueryDataSources(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	for _, name := range []string{"one", "two"} {
		want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":%q,"uid":%[1]q,"type":%q}`, name, pluginID))
	}
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, `{"name":"lost","uid":"lost","type":"acme-gone-datasource"}`)
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-narrow", "test",
		[]host.Grant{{Action: access.DatasourcesQuery, Scope: "datasources:uid:one"}}))(t)
	for n, address := range []string{"127.0.0.1:5432", "[::1]:5432", "db_1:5432", "https://host/a@b", ""} {
		want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"db%d","type":"x","url":%q}`, n, address))
	}
	queries := `{"queries":[{"refId":"A","datasource":{"uid":"one"}},{"refId":"B","datasource":{"uid":"two"}},
		{"refId":"C","datasource":{"uid":"lost"}},{"refId":"D","datasource":{"uid":"none"}},{"refId":"E","queryType":"bad","datasource":{"uid":"one"}},
		{"refId":"F","datasource":{"type":"` + pluginID + `"}},{"refId":"G","datasource":{"uid":"a\u0000"}}]}`
	for who, want := range map[string]string{
		f.viewer:                   "A200 B200 C404 D404 E400 F200 G404",
		"Bearer " + token.Secret(): "A200 B403 C403 D403 E400 F200 G403",
	} {
		got := f.do("POST", "/api/ds/query", who, queries)
		statuses := ""
		for _, ref := range strings.Split("ABCDEFG", "") {
			result := decoded[struct {
				Results map[string]struct{ Status int }
			}](t, got.body).Results[ref]
			statuses += fmt.Sprint(ref, result.Status, " ")
		}
		if got.status != 207 || strings.TrimSpace(statuses) != want {
			t.Errorf("%d %s, want %s\n%s", got.status, statuses, want, got.body)
		}
	}
}

func TestAppSettings(t *testing.T) {
	t.Parallel()
	f := withMounted(t, withRoles, loader.Options{})
	const target = "/api/plugins/acme-roles-app/settings"
	if got := want[object](t, f, 200, "GET", target, f.viewer, ""); got["enabled"] != true || fmt.Sprint(got["jsonData"]) != "map[]" {
		t.Errorf("default settings: %v", got)
	}
	want[object](t, f, 200, "POST", target, f.admin, `{"enabled":true,"pinned":true,"jsonData":{"a":1},"secureJsonData":{"k":"s3cret","l":"x"}}`)
	want[object](t, f, 200, "POST", target, f.admin, `{"enabled":true,"jsonData":{"a":2},"secureJsonData":{"l":null}}`)
	got := f.do("GET", target, f.viewer, "")
	if got.status != 200 || strings.Contains(got.body, "s3cret") || !strings.Contains(got.body, `"enabled":true,"pinned":false,`) || !strings.Contains(got.body, `"module":"public/plugins/acme-roles-app/module.js"`) || !strings.Contains(got.body, `"jsonData":{"a":2},"secureJsonFields":{"k":true}`) {
		t.Errorf("settings: %+v", got)
	}
	stored, err := f.store.UnlockApp(t.Context(), org, "acme-roles-app")
	if err != nil || stored.Secrets["k"] != "s3cret" {
		t.Errorf("stored settings: %+v, %v", stored, err)
	}
	for who, want := range map[string]string{f.viewer: "all", f.editor: "all edit", f.admin: "all edit"} {
		names := []string{}
		for _, i := range decoded[struct{ Includes []struct{ Name string } }](t, f.do("GET", target, who, "").body).Includes {
			names = append(names, i.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("includes: %q, want %q", got, want)
		}
	}
	want[object](t, f, 200, "POST", target, f.admin, `{"enabled":false}`)
	if got := f.do("GET", "/api/plugins/acme-roles-app/health", f.viewer, ""); got.status != 403 || !strings.Contains(got.message(), "disabled") {
		t.Errorf("health of a disabled app: %+v", got)
	}
	if got := f.do("POST", target, f.admin, `{"jsonData":{"url":"https://elsewhere"}}`); got.status != 400 || !strings.HasPrefix(got.message(), "secureJsonData.k:") {
		t.Errorf("change of an address without the secret: %+v", got)
	}
	if got := f.do("POST", target, f.admin, `{"jsonData":3}`); got.status != 400 || !strings.HasPrefix(got.message(), "jsonData:") {
		t.Errorf("jsonData of the wrong type: %+v", got)
	}
	d := withPlugin(t)
	if got := d.do("POST", "/api/plugins/"+pluginID+"/settings", d.admin, `{"enabled":true}`); got.status != 400 || !strings.Contains(got.message(), "only apps") {
		t.Errorf("settings of a data source: %+v", got)
	}
}

// An update that is based on an old version is refused: it would undo someone else's change.
func TestStaleDataSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const body = `{"uid":"main","name":"Main","type":"acme-none-datasource","version":%d}`
	update := func(status, version int) {
		t.Helper()
		want[object](t, f, status, "PUT", "/api/datasources/uid/main", f.admin, fmt.Sprintf(body, version))
	}
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(body, 0))
	update(200, 1)
	update(409, 1)
	update(200, 2)
	update(200, 0) // replaces the latest version
	// The form in the console sends the version that it shows.
	if _, form := page(t, pagesAs(t, f, f.admin), "/datasources/main"); !strings.Contains(form, `name="version" data-type="number" value="4"`) {
		t.Errorf("the form does not have version 4:\n%s", form)
	}
}
