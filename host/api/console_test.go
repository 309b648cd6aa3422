package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/console"
)

// payloads try to become elements, attributes, scripts and links of a page.
func payloads() []string {
	return []string{
		`<x1>"'`, `"><x1 x1on=1>`, `" x1on="1`, `' x1on='1`, `</textarea><x1>`, `</title><x1>`, `</script><x1>`, `--><x1>`,
		`javascript:x1()`, `{{x1}}`, `</option></select><x1>`, "`${x1}`<x1>", `\"><x1>`, `&lt;x1&gt;<x1>`, `]]><x1>`, `</code></pre><x1>`,
	}
}

// pagesAs returns the console for the owner of a token, which takes the place of a cookie.
func pagesAs(t *testing.T, f *fixture, bearer string) http.Handler {
	t.Helper()
	return console.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Authorization", bearer)
		f.API.ServeHTTP(w, r)
	}), console.Options{})
}

func page(t *testing.T, pages http.Handler, path string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost"+path, nil)
	w := httptest.NewRecorder()
	pages.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// populate creates one of everything, with text as the name of each, and returns the pages
// that show it.
func populate(t *testing.T, f *fixture, n int, text string) (paths []string) {
	t.Helper()
	quoted, _ := json.Marshal(text)
	uid := fmt.Sprintf("u%d", n)
	create := func(path, body string) object {
		t.Helper()
		got := f.do("POST", path, f.admin, body)
		var o object
		if err := json.Unmarshal([]byte(got.body), &o); err != nil || got.status >= 300 {
			t.Fatalf("POST %s %s: %+v", path, body, got)
		}
		return o
	}
	create("/api/datasources", fmt.Sprintf(`{"uid": %q, "name": %s, "type": %q, "user": %[2]s, "database": %[2]s, "basicAuthUser": %[2]s,
		"jsonData": {"httpHeaderName1": %[2]s, "serverName": %[2]s, "rest": {%[2]s: %[2]s}}, "secureJsonData": {%[2]s: "x", "httpHeaderValue1": "s3cret"}}`, uid, quoted, pluginID))
	create("/api/folders", fmt.Sprintf(`{"uid": %q, "title": %s}`, uid, quoted))
	create("/api/dashboards/db", fmt.Sprintf(`{"folderUid": %q, "dashboard": {"uid": %[1]q, "title": %s, "tags": [%[2]s], "time": {"from": %[2]s, "to": "now"},
		"panels": [{"type": %[2]s, "title": %[2]s, "options": {"content": %[2]s}},
			{"title": %[2]s, "datasource": {"uid": %[2]s}, "targets": [{"refId": %[2]s}]},
			{"title": %[2]s, "datasource": %[2]s, "targets": [{"refId": "A", "x": %[2]s}]}]}}`, uid, quoted))
	list := create("/api/playlists", fmt.Sprintf(`{"name": %s, "interval": "30s", "items": [{"type": "dashboard_by_uid", "value": %q, "title": %[1]s}, {"type": "dashboard_by_tag", "value": %[1]s}]}`, quoted, uid))
	account := create("/api/serviceaccounts", fmt.Sprintf(`{"name": %s}`, quoted))
	id := fmt.Sprint(account["id"])
	create("/api/serviceaccounts/"+id+"/tokens", fmt.Sprintf(`{"name": %s}`, quoted))
	create("/api/auth/keys", fmt.Sprintf(`{"name": %s, "role": "Viewer"}`, quoted))
	return []string{
		"/datasources/" + uid, "/dashboards/" + uid,
		fmt.Sprintf("/playlists/%s", list["uid"]), "/accounts/" + id,
	}
}

// lists are the pages that do not belong to one thing.
func lists() []string {
	return []string{
		"/datasources", "/datasources/new", "/plugins/" + pluginID + "/settings", "/plugins/" + pluginID + "/preview", "/dashboards", "/dashboards/new", "/folders", "/playlists",
		"/playlists/new", "/accounts", "/keys", "/roles", "/profile",
	}
}

// Nothing that users or plugins name becomes markup on a page, and no page contains a
// secret.
func TestConsoleEscapes(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	pages := pagesAs(t, f, f.admin)
	paths := lists()
	for n, text := range payloads() {
		paths = append(paths, populate(t, f, n, text)...)
		paths = append(paths, "/dashboards?query="+url.QueryEscape(text), "/accounts?query=%22%3E%3Cx1%3E", "/playlists?query=%3Cx1%3E", "/datasources/new?type=%22%3E%3Cx1%3E")
	}
	seen := 0
	for _, path := range paths {
		status, body := page(t, pages, path)
		if status != 200 && !strings.HasPrefix(path, "/plugins/") {
			t.Errorf("%s: %d %s", path, status, body)
		}
		for _, bad := range []string{"<x1", `" x1on=`, `' x1on=`, `href="javascript:`, "s3cret"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s contains %s", path, bad)
			}
		}
		seen += strings.Count(body, "&lt;x1")
	}
	if seen < 100 {
		t.Errorf("the pages contain only %d payloads", seen)
	}
}

var (
	sends = regexp.MustCompile(`data-send="([A-Z]+) ([^"]+)"`)
	links = regexp.MustCompile(`href="(/[^"#?]*)`)
)

// A page offers nothing that the API refuses: neither a form nor a link to another page.
func TestConsoleOffersWhatIsAllowed(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	paths := append(lists(), populate(t, f, 0, "Main")...)
	offered := map[string]int{}
	for _, who := range []struct{ role, bearer string }{{"Viewer", f.viewer}, {"Editor", f.editor}, {"Admin", f.admin}} {
		pages := pagesAs(t, f, who.bearer)
		visited := map[string]bool{}
		var calls [][]string
		visit := func(path string) (status int, body string) {
			visited[path] = true
			status, body = page(t, pages, path)
			if status == 200 {
				calls = append(calls, sends.FindAllStringSubmatch(body, -1)...)
			}
			return status, body
		}
		for _, path := range paths {
			status, body := visit(path)
			if status != 200 && status != 403 && status != 404 {
				t.Errorf("%s, %s: %d", who.role, path, status)
			}
			for _, link := range links.FindAllStringSubmatch(body, -1) {
				if visited[link[1]] || strings.HasPrefix(link[1], "/static/") || strings.HasPrefix(link[1], "/api/") {
					continue
				}
				if status, _ := page(t, pages, link[1]); status == 403 {
					t.Errorf("%s, %s links to %s, which is forbidden", who.role, path, link[1])
				}
			}
		}
		for _, call := range calls {
			if strings.HasPrefix(call[2], "/api/session") {
				continue
			}
			offered[who.role]++
			if got := f.do(call[1], call[2], who.bearer, "{}"); got.status == 401 || got.status == 403 {
				t.Errorf("%s is offered %s %s: %+v", who.role, call[1], call[2], got)
			}
		}
	}
	if offered["Viewer"] != 0 || offered["Editor"] < 6 || offered["Admin"] < 15 {
		t.Errorf("offered: %v", offered)
	}
}
