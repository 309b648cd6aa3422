package preview

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const (
	token = "the-token"
	main  = "acme-x-panel"
)

// fixture is a server with a plugin, and an API that remembers the requests that reach it.
type fixture struct {
	*Server
	t       *testing.T
	reached []*http.Request
	roles   []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root := t.TempDir()
	testkit.WriteFiles(t, root, map[string]string{
		"dist/plugin.json": `{"id": "acme-x-panel", "type": "panel", "name": "</script><b>", "info": {"version": "1.0.0"}}`,
		"src/plugin.json":  `{"id": "acme-x-panel", "type": "panel"}`,
		"page/page.js":     "the page",
		"page/chunk-A.js":  "a chunk",
		"libs/node_modules/@grafana/ui/package.json":                           `{"version": "12.4.0"}`,
		"libs/node_modules/@grafana/ui/dist/public/img/icons/unicons/apps.svg": "<svg>apps</svg>",
	})
	f := &fixture{t: t}
	plugin := bundle.Plugin{Dir: filepath.Join(root, "dist"), Metadata: &bundle.Metadata{ID: main}}
	f.Server = New(Options{
		Page: func() (*Page, error) {
			return &Page{Libraries: Libraries{Version: "12.4.0", React: "18.3.1", Dir: filepath.Join(root, "libs")}, Dir: filepath.Join(root, "page")}, nil
		},
		API: func(role string) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				f.reached, f.roles = append(f.reached, r), append(f.roles, role)
				w.Header().Set("Set-Cookie", "evil=1")
				w.Header().Set("Service-Worker-Allowed", "/")
				_, _ = io.WriteString(w, "from the API")
			})
		},
		Mounted: func() []bundle.Plugin { return []bundle.Plugin{plugin} },
		Repo:    bundle.Repo{Root: root, Source: filepath.Join(root, "src"), Dist: filepath.Join(root, "dist")},
		Main:    main, Origin: "http://localhost:4000", Console: "http://127.0.0.1:3000", Token: token,
	})
	return f
}

// do sends a request to the preview. Headers are "name: value", and an empty value removes one.
func (f *fixture) do(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://localhost:4000"+path, strings.NewReader(body))
	r.Header.Set("X-Preview-Token", token)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w
}

// TestHostile does what a plugin in the page, or a page elsewhere, might try. Nothing may reach the API.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, method, path string
		headers            []string
		status             int
	}{
		{"the users", "GET", "/api/users", nil, 403},
		{"a token of its own", "POST", "/api/serviceaccounts/1/tokens", nil, 403},
		{"an API key", "POST", "/api/auth/keys", nil, 403},
		{"to delete a data source", "DELETE", "/api/datasources/uid/x", nil, 403},
		{"to delete a dashboard", "DELETE", "/api/dashboards/uid/x", nil, 403},
		{"to save a dashboard", "POST", "/api/dashboards/db", nil, 403},
		{"the settings of another plugin", "GET", "/api/plugins/other-app/settings", nil, 403},
		{"the resources of another plugin", "GET", "/api/plugins/other-app/resources/secret", nil, 403},
		{"a data source whose uid is resources", "DELETE", "/api/datasources/uid/resources", nil, 403},
		{"the routes of another plugin", "GET", "/api/plugin-proxy/other-app/x", nil, 403},
		{"a file of another plugin", "GET", "/public/plugins/other-app/module.js", nil, 404},
		{"an escaped path", "GET", "/api/%75sers", nil, 403},
		{"an escaped slash", "GET", "/api/plugins/acme-x-panel%2f..%2fother-app/settings", nil, 403},
		{"dots", "GET", "/api/plugins/acme-x-panel/../../users", nil, 307},
		{"a sign-in", "POST", "/api/login", nil, 403},
		{"the sessions", "GET", "/api/sessions", nil, 403},
		{"to restart the plugin", "POST", "/api/plugins/acme-x-panel/restart", nil, 403},
		{"the admin API", "GET", "/api/admin/settings", nil, 403},
		{"a page of the console", "POST", "/plugins/acme-x-panel", nil, 405},
		{"no token", "GET", "/api/user", []string{"X-Preview-Token: "}, 401},
		{"a wrong token", "GET", "/api/user", []string{"X-Preview-Token: x"}, 401},
		{"a cookie instead of the token", "GET", "/api/user", []string{"X-Preview-Token: ", "Cookie: slipway_3000=x"}, 401},
		{"credentials instead of the token", "GET", "/api/user", []string{"X-Preview-Token: ", "Authorization: Basic YWRtaW46YWRtaW4="}, 401},
		{"the token in an address", "GET", "/api/user?token=" + token, []string{"X-Preview-Token: "}, 401},
		{"a page of another origin", "POST", "/api/ds/query", []string{"Origin: http://evil.example"}, 403},
		{"a page of the console's origin", "POST", "/api/ds/query", []string{"Origin: http://127.0.0.1:3000"}, 403},
		{"a page of another port", "GET", "/api/user", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"an opaque origin", "GET", "/api/user", []string{"Origin: null"}, 403},
		{"another name of this machine", "GET", "/", []string{"Host: 127.0.0.1:4000"}, 421},
		{"a name that resolves to this machine", "GET", "/api/user", []string{"Host: evil.example:4000"}, 421},
		{"another port", "GET", "/", []string{"Host: localhost:3000"}, 421},
		{"a service worker", "GET", "/public/plugins/acme-x-panel/sw.js", []string{"Service-Worker: script"}, 403},
		{"a file outside of the page", "GET", "/-/..%2fdist%2fplugin.json", nil, 404},
		{"places without the token", "POST", "/-/place", []string{"X-Preview-Token: "}, 401},
		{"the events without the token", "GET", "/-/events", []string{"X-Preview-Token: "}, 401},
		{"the stories from elsewhere", "GET", "/-/stories", []string{"Origin: http://evil.example"}, 403},
	} {
		f := newFixture(t)
		got := f.do(c.method, c.path, "{}", c.headers...)
		if got.Code != c.status || len(f.reached) > 0 || got.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: status %d, want %d; reached the API: %v; %s", c.name, got.Code, c.status, len(f.reached) > 0, got.Body)
		}
		if c.status == 403 && got.Header().Get("X-Preview-Refused") == "" {
			t.Errorf("%s: %s", c.name, got.Body)
		}
	}
}

// TestCalls forwards what a frontend needs, as the user of the preview with a role and without what
// the browser says about the sender. The answer sets no cookie.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"GET", "/api/frontend/settings"}, {"GET", "/api/plugins"}, {"GET", "/api/plugins/acme-x-panel/settings"},
		{"POST", "/api/plugins/acme-x-panel/settings"}, {"PUT", "/api/plugins/acme-x-panel/resources/a/b?c=d"},
		{"GET", "/api/plugins/acme-x-panel/resources"}, {"GET", "/api/plugin-proxy/acme-x-panel/a"}, {"GET", "/api/datasources"},
		{"POST", "/api/datasources"}, {"PUT", "/api/datasources/uid/x"}, {"PUT", "/api/datasources/7"}, {"GET", "/api/datasources/uid/x/health"},
		{"DELETE", "/api/datasources/uid/x/resources/a"}, {"POST", "/api/datasources/proxy/uid/x/v1/query"}, {"POST", "/api/ds/query"},
		{"GET", "/api/search/"}, {"GET", "/api/user"}, {"GET", "/api/live/events"}, {"POST", "/api/live/publish"},
		{"GET", "/public/plugins/acme-x-panel/module.js"},
	} {
		f := newFixture(t)
		got := f.do(c[0], c[1], "{}", "Cookie: a=b", "Authorization: Basic x", "Origin: http://localhost:4000", "Sec-Fetch-Site: same-origin",
			"X-Preview-Role: Editor", "Content-Type: application/json")
		if got.Code != 200 || len(f.reached) != 1 {
			t.Errorf("%s %s: %d %s", c[0], c[1], got.Code, got.Body)
			continue
		}
		r := f.reached[0]
		want := []string{"Content-Type"}
		if names := slices.Sorted(maps.Keys(r.Header)); !slices.Equal(names, want) || r.URL.RequestURI() != c[1] {
			t.Errorf("%s %s: headers %q, URI %s", c[0], c[1], names, r.URL.RequestURI())
		}
		if strings.HasPrefix(c[1], "/api/") && f.roles[0] != "Editor" {
			t.Errorf("%s: role %s", c[1], f.roles[0])
		}
		if got.Header().Get("Set-Cookie") != "" || got.Header().Get("Service-Worker-Allowed") != "" {
			t.Errorf("%s: %v", c[1], got.Header())
		}
	}
	for header, want := range map[string]string{"": "Admin", "Viewer": "Viewer", "GrafanaAdmin": "Admin"} {
		f := newFixture(t)
		f.do("GET", "/api/user", "", "X-Preview-Role: "+header)
		if !slices.Equal(f.roles, []string{want}) {
			t.Errorf("role %q: %q", header, f.roles)
		}
	}
}

func TestDocument(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	got := f.do("GET", "/panel/acme-x-panel?theme=light&role=Viewer", "", "X-Preview-Token: ", "Sec-Fetch-Site: cross-site")
	body := got.Body.String()
	_, rest, _ := strings.Cut(body, `id="boot">`)
	text, _, ok := strings.Cut(rest, "</script>")
	var b struct {
		Version, React, Role, Main, Theme string
		Plugins                           []struct{ ID, Name string }
	}
	if err := json.Unmarshal([]byte(text), &b); err != nil || !ok {
		t.Fatalf("%v in %s", err, body)
	}
	if b.Version != "12.4.0" || b.React != "18.3.1" || b.Role != "Viewer" || b.Theme != "light" || b.Main != main ||
		len(b.Plugins) != 1 || b.Plugins[0].Name != "</script><b>" {
		t.Errorf("%+v", b)
	}
	policy := got.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'self'", "script-src 'self' 'unsafe-eval';", "frame-ancestors http://127.0.0.1:3000", "connect-src 'self' data: blob:", "frame-src 'self' data: blob: https:;", "object-src 'none'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("no %q in %s", want, policy)
		}
	}
	if strings.Contains(body, token) || got.Header().Get("Cross-Origin-Opener-Policy") != "same-origin" {
		t.Error("the document has the token, or can be reached from the page that opened it")
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, want := range map[string]string{
		"/-/page.js":                                         "the page",
		"/-/chunk-A.js":                                      "a chunk",
		"/public/img/icons/unicons/apps.svg":                 "<svg>apps</svg>",
		"/public/build/img/icons/unicons/x.svg":              emptyIcon,
		"/public/img/icons/..%2f..%2f..%2f..%2fpackage.json": emptyIcon,
	} {
		if got := f.do("GET", path, "", "X-Preview-Token: "); got.Code != 200 || got.Body.String() != want {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		} else if isMissing := got.Header().Get("X-Preview-Missing") == "icon"; isMissing != (want == emptyIcon) {
			t.Errorf("%s: said to be a missing icon: %t", path, isMissing)
		}
	}
	if got := f.do("GET", "/public/fonts/x.woff2", ""); got.Code != 404 {
		t.Errorf("a font: %d", got.Code)
	}
	if got := f.do("GET", "/-/chunk-A.js", "").Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("a chunk: %s", got)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	outside := filepath.Join(t.TempDir(), "a.ts")
	testkit.WriteFile(t, filepath.Join(filepath.Dir(outside), "a.ts"), "x\nx")
	cases := []struct {
		source, file string
		code         []codeLine
	}{
		{"../src/a.ts", "src/a.ts", []codeLine{{1, "from"}, {2, "the map"}}},
		{"webpack://acme-x-panel/./b.ts?1a2b", "src/b.ts", []codeLine{{1, "1"}, {2, "2"}, {3, "3"}, {4, "4"}, {5, "5"}}},
		{"webpack://acme-x-panel/../node_modules/a/a.ts", "node_modules/a/a.ts", nil},
		{"../src/absent.ts", "src/absent.ts", nil},
		{"../.env", ".env", nil},
		{"../src/.hidden.ts", "src/.hidden.ts", nil},
		{"../key.pem", "key.pem", nil},
		{"../src/../../a.ts", "src/../../a.ts", nil},
		{"../src/dir.ts", "src/dir.ts", nil},
		{outside, outside, nil},
	}
	var sources []string
	for _, c := range cases {
		sources = append(sources, c.source)
	}
	text := testkit.Must(json.Marshal(map[string]any{"version": 3, "sources": sources, "sourcesContent": []string{"from\nthe map"},
		"mappings": "EACA" + strings.Repeat(",CCAA", len(cases)-1)}))(t) // from column 2 on, one for each source
	testkit.WriteFiles(t, f.Repo.Root, map[string]string{"src/b.ts": "1\n2\n3\n4\n5\n6\n7\n", ".env": "A=1\nSECRET=1", "src/.hidden.ts": "x\nx", "node_modules/a/a.ts": "x\nx",
		"key.pem": "x\nx", "src/dir.ts/x": "x", "../a.ts": "x\nx", "dist/module.js": "x\n//# sourceMappingURL=module.js.map?_cache=5\n", "dist/module.js.map": string(text)})
	at := func(column int) string {
		return fmt.Sprintf(`{"url": "http://localhost:4000/public/plugins/acme-x-panel/module.js?t=5", "line": 1, "column": %d}`, column)
	}
	ask := func(frames ...string) string {
		return strings.TrimSpace(f.do("POST", "/-/place", "["+strings.Join(frames, ",")+"]").Body.String())
	}
	for i, c := range cases {
		var got place
		if err := json.Unmarshal([]byte(ask(at(2+i))), &got); err != nil || !cmp.Equal(got, place{c.file, 2, 1, c.code}) {
			t.Errorf("%s: %v %+v", c.source, err, got)
		}
	}
	if got := ask(at(4), at(2)); !strings.Contains(got, "src/a.ts") {
		t.Errorf("a place in a package comes before one of the plugin's own: %s", got)
	}
	before, elsewhere := at(1), `{"url": "http://localhost:4000/public/plugins/other/module.js", "line": 1, "column": 3}`
	for _, frame := range []string{before, elsewhere, `{"url": "http://localhost:4000/-/page.js"}`, `{"url": ":"}`} {
		if got := ask(frame); got != "null" {
			t.Errorf("%s: %s", frame, got)
		}
	}
}

func TestStories(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	panel := `{"type": "acme-x-panel", "title": "%", "options": {"a": 1}}`
	testkit.WriteFiles(t, f.Repo.Root, map[string]string{
		"provisioning/dashboards/sub/a.json": `{"title": "A", "time": {"from": "now-1h"}, "templating": {"list": [{"name": "v"}]}, "panels": [` +
			strings.ReplaceAll(panel, "%", "one") + `, {"type": "text"}, {"type": "row", "panels": [` + strings.ReplaceAll(panel, "%", "in a row") + `]}]}`,
		"src/dashboards/b.json":           `{"dashboard": {"title": "B", "panels": [{"type": "table", "datasource": "name", "targets": [{"panelId": 7, "datasource": {"type": "acme-x-panel"}}]}, {"id": 7, "type": "text"}]}}`,
		"provisioning/dashboards/c.json":  `broken`,
		"provisioning/datasources/d.json": `{"panels": [` + panel + `]}`,
		"dist/dashboards/b.json":          `{"panels": [` + panel + `]}`,
		"src/dashboards/old.json": `{"title": "Old", "panels": [{"title": "by name", "datasource": "Main"}, {"title": "another", "datasource": "Other"},
			{"title": "mixed", "datasource": "-- Mixed --", "targets": [{"refId": "A", "datasource": {"uid": "u"}}, {"refId": "B", "datasource": "Other"}]}]}`,
	})
	f.API = func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `[{"name": "Main", "uid": "u", "type": "acme-x-panel"}, {"name": "Other", "uid": "o", "type": "other"}]`)
		})
	}
	var got []string
	for _, s := range f.storiesOf(main) {
		got = append(got, s.Dashboard+": "+s.Title)
	}
	if diff := cmp.Diff([]string{"A: one", "A: in a row", "B: Panel 1", "Old: by name", "Old: mixed"}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"query of Panel 1, ", "query of mixed, A"}, savedQueries(f.storiesOf(main), main, f.sourceTypes())); diff != "" {
		t.Error(diff)
	}
	testkit.WriteFiles(t, f.Repo.Root, map[string]string{"provisioning/dashboards/d.json": `{"panels": [{"type": "acme-y-panel", "title": "near"},
		{"type": "other-map-panel", "title": "other"}, {"type": "state-timeline"}]}`, "provisioning/dashboards/e.json": `{"spec": {"elements": {}}}`})
	var unshown []string
	for _, view := range f.unshown() {
		unshown = append(unshown, view.Name+": "+strings.Join(view.Problems, "; "))
	}
	if diff := cmp.Diff([]string{
		"provisioning/dashboards/c.json: the dashboard cannot be read: line 1: invalid character 'b' looking for beginning of value",
		`provisioning/dashboards/d.json: the panel "near" is of type acme-y-panel, which is not in this repository; did you mean acme-x-panel?; ` +
			`the panel "other" is of type other-map-panel, which is neither in this repository nor among the dependencies of plugin.json`,
		"provisioning/dashboards/e.json: the dashboard cannot be read: its panels are in the newer format, with elements: save it in the classic one",
	}, unshown); diff != "" {
		t.Error(diff)
	}
	var sent []story
	if err := json.Unmarshal(f.do("GET", "/-/stories?plugin=acme-x-panel", "").Body.Bytes(), &sent); err != nil || len(sent) != 5 {
		t.Fatalf("%v %v", err, sent)
	}
	if string(sent[0].Variables) != `[{"name":"v"}]` || string(sent[2].Time) != "null" || !strings.Contains(string(sent[0].Panel), `"a":1`) {
		t.Errorf("%s", sent)
	}
	if len(sent[2].Sources) != 1 || !strings.Contains(string(sent[2].Sources[0]), `"id":7`) || len(sent[0].Sources) != 0 {
		t.Errorf("sources %s", sent[2].Sources)
	}
}

// Panels are saved after those that were, and nowhere else.
func TestSaveStory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	testkit.WriteFiles(t, f.Repo.Root, map[string]string{"provisioning/dashboards/z.json": `{"panels": [{"type": "acme-x-panel", "title": "last"}]}`,
		"provisioning/dashboards/a.json": `{"panels": [{"type": "acme-x-panel", "title": "first"}]}`})
	const file = "provisioning/dashboards/acme-x-panel-stories.json"
	for i, title := range []string{"one", "two"} {
		got := f.do("POST", "/-/stories", `{"plugin": "acme-x-panel", "time": {"from": "now-2h"}, "panel": {"type": "acme-x-panel", "title": "`+title+`", "options": {"a": 1}}}`)
		if want := fmt.Sprintf(`{"story":%d}`, i+1); strings.TrimSpace(got.Body.String()) != want {
			t.Errorf("%s: %d %s, want %s", title, got.Code, got.Body, want)
		}
	}
	var titles []string
	for _, s := range f.storiesOf(main) {
		titles = append(titles, s.Title)
	}
	if diff := cmp.Diff([]string{"first", "one", "two", "last"}, titles); diff != "" {
		t.Error(diff)
	}
	for _, body := range []string{"", `{"plugin": "acme-y-panel", "panel": {"type": "acme-y-panel"}}`, `{"plugin": "acme-x-panel", "panel": {"type": "../x"}}`} {
		if got := f.do("POST", "/-/stories", body); got.Code != 400 {
			t.Errorf("%s: %d %s", body, got.Code, got.Body)
		}
	}
	testkit.WriteFile(t, filepath.Join(f.Repo.Root, file), "mine")
	if got := f.do("POST", "/-/stories", `{"plugin": "acme-x-panel", "panel": {"type": "acme-x-panel"}}`); got.Code != 500 {
		t.Errorf("a file that is no dashboard: %d %s", got.Code, got.Body)
	}
}

// A page that connects while the build is broken learns that, and pages learn what follows.
func TestEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "localhost:4000"
		f.ServeHTTP(w, r)
	}))
	defer server.Close()
	f.Failed([]Message{{File: "src/a.ts", Line: 1, Text: "wrong"}})
	response := testkit.Must(http.Get(server.URL + "/-/events?token=" + token))(t)
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	next := func() string {
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok && lines.Scan() {
				return name + " " + strings.TrimPrefix(lines.Text(), "data: ")
			}
		}
		t.Fatal(lines.Err())
		return ""
	}
	if got := next(); !strings.HasPrefix(got, "failed ") || !strings.Contains(got, `"file":"src/a.ts","line":1`) {
		t.Error(got)
	}
	f.Typed([]Message{})
	f.Fixed()
	f.Ready(main, []string{"frontend"})
	if got := []string{next(), next(), next()}; !slices.Equal(got, []string{`typed {"messages":[]}`, "fixed {}", `ready {"changed":["frontend"],"id":"acme-x-panel"}`}) {
		t.Errorf("%q", got)
	}
}

func TestStorage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const at = "/apis/userstorage.grafana.app/v0alpha1/namespaces/default/user-storage"
	if got := f.do("GET", at+"/a:1", ""); got.Code != 404 {
		t.Errorf("nothing is stored: %d", got.Code)
	}
	f.do("POST", at, `{"metadata": {"name": "a:1"}, "spec": {"data": {"k": "1", "l": "2"}}}`)
	f.do("PATCH", at+"/a:1", `{"spec": {"data": {"k": "3"}}}`)
	var got object
	testkit.OK(t, json.Unmarshal(f.do("GET", at+"/a:1", "").Body.Bytes(), &got))
	if diff := cmp.Diff(map[string]string{"k": "3", "l": "2"}, got.Spec.Data); diff != "" {
		t.Error(diff)
	}
	if got := f.do("POST", at, "["+strings.Repeat(" ", maxObject)+"]"); got.Code != 400 {
		t.Errorf("too large: %d", got.Code)
	}
	last := 0
	for i := range 9 { // each below the limit of one, together above that of all
		last = f.do("PATCH", at+"/a:1", fmt.Sprintf(`{"spec": {"data": {"%d": %q}}}`, i, strings.Repeat("x", maxObject-100))).Code
	}
	if last != http.StatusInsufficientStorage {
		t.Errorf("the last of many changes: %d", last)
	}
	if len(f.reached) > 0 {
		t.Error("the API was called")
	}
}
