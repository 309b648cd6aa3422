package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

// upstream is a service behind a plugin that records the requests it receives.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newUpstream(t *testing.T) *upstream {
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.seen = append(u.seen, fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Header.Get("X-Key"), r.Header.Get("Authorization"), r.Header.Get("Cookie"), string(body)))
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprint(w, "upstream")
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) take() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	seen := strings.Join(u.seen, "|")
	u.seen = nil
	return seen
}

const routesOf = `"routes":[
	{"path":"open","url":"{{ .JsonData.base }}/v1","headers":[{"name":"X-Key","content":"{{ .SecureJsonData.key }}"}]},
	{"path":"admin","url":"{{ .JsonData.base }}/v1/admin","reqRole":"Admin"},
	{"path":"own","url":"{{ .JsonData.base }}/own","reqAction":"%[1]s:own"},
	{"path":"post","method":"POST, PUT","url":"{{ .JsonData.base }}/post"},
	{"path":"broken","url":"{{ .JsonData.none }}"}]`

func TestProxyDataSource(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const id = "acme-routes-datasource"
	f := withMounted(t, `{"id":"`+id+`","type":"datasource","name":"Routes",`+fmt.Sprintf(routesOf, id)+`}`, loader.Options{})
	want[object](t, f, 200, "POST", "/api/datasources", f.admin,
		fmt.Sprintf(`{"name":"r","uid":"r","type":%q,"jsonData":{"base":%q},"secureJsonData":{"key":"s3cret"}}`, id, u.URL))
	const base = "/api/datasources/proxy/uid/r/"
	for _, c := range []struct {
		method, path, authorization string
		status                      int
		seen                        string
	}{
		{"GET", "open/a/b?x=1", f.viewer, 200, "GET /v1/a/b?x=1 s3cret"},
		{"GET", "open", f.viewer, 200, "GET /v1 s3cret"},
		{"GET", "openly", f.viewer, 404, ""},
		{"GET", "admin", f.viewer, 403, ""},
		{"GET", "admin/x", f.admin, 200, "GET /v1/admin/x "},
		{"GET", "own", f.admin, 403, ""}, // basic roles do not include actions of plugins
		{"GET", "post", f.viewer, 403, ""},
		{"PUT", "post/1", f.viewer, 200, "PUT /post/1 body"},
		{"GET", "broken", f.viewer, 503, ""},
		{"GET", "open", "", 401, ""},
		{"GET", "open", f.plugin, 403, ""},
		{"GET", "open/%2e%2e/admin", f.viewer, 400, ""},
		{"GET", "open/%252e%252e%252fadmin", f.viewer, 400, ""},
		{"GET", "open%2fadmin", f.viewer, 404, ""},
		{"GET", "open/group%2fproject", f.viewer, 200, "GET /v1/group%2Fproject s3cret"},
	} {
		body := ""
		if c.method == "PUT" {
			body = "body"
		}
		r := httptest.NewRequest(c.method, base+c.path, strings.NewReader(body))
		r.Header.Set("Cookie", "session=host")
		got := f.send(r, c.authorization)
		if seen := u.take(); got.status != c.status || seen != c.seen {
			t.Errorf("%s %s: %d %s, upstream received %q, want %d and %q", c.method, c.path, got.status, got.body, seen, c.status, c.seen)
		}
		if got.status == 200 && (got.header.Get("Content-Security-Policy") != "sandbox; frame-ancestors 'self'" || got.header.Get("Set-Cookie") != "" || got.body != "upstream") {
			t.Errorf("%s %s: %+v", c.method, c.path, got)
		}
	}
	u.Close()
	if got := f.do("GET", base+"open", f.viewer, ""); got.status != 502 || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("unreachable service: %+v", got)
	}
}

// A plugin without routes leaves the paths to the service: its data sources have their own
// address and sign-in.
func TestProxyWithoutRoutes(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const id = "acme-direct-datasource"
	f := withMounted(t, `{"id":"`+id+`","type":"datasource","name":"Direct"}`, loader.Options{})
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"r","uid":"r","type":%q,"url":%q,"basicAuth":true,"basicAuthUser":"user",
		"jsonData":{"httpHeaderName1":"X-Key","keepCookies":["kept","slipway_session","session"]},"secureJsonData":{"httpHeaderValue1":"s3cret","basicAuthPassword":"pass"}}`, id, u.URL+"/base"))
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"none","uid":"none","type":%q}`, id))
	byID := fmt.Sprint("/api/datasources/proxy/", want[object](t, f, 200, "GET", "/api/datasources/uid/r", f.admin, "")["id"], "/")
	const base = "/api/datasources/proxy/uid/r/"
	for _, c := range []struct {
		method, target, authorization string
		status                        int
		seen                          string
	}{
		{"GET", base + "a/b?x=1", f.viewer, 200, "GET /base/a/b?x=1 s3cretBasic dXNlcjpwYXNzkept=1"},
		{"GET", byID + "a", f.viewer, 200, "GET /base/a s3cretBasic dXNlcjpwYXNzkept=1"},
		{"DELETE", base + "a", f.viewer, 200, "DELETE /base/a s3cretBasic dXNlcjpwYXNzkept=1"},
		{"GET", base + "a", "", 401, ""},
		{"GET", base + "a", f.plugin, 403, ""}, // it may not query data sources
		{"GET", base + "%2e%2e/a", f.viewer, 400, ""},
		{"GET", base + "http:%2f%2fevil.example", f.viewer, 200, "GET /base/http:%2F%2Fevil.example s3cretBasic dXNlcjpwYXNzkept=1"},
		{"GET", base + "/a", f.viewer, 404, ""},
		{"GET", "/api/datasources/proxy/uid/none/a", f.admin, 404, ""},
	} {
		r := httptest.NewRequest(c.method, c.target, nil)
		r.Header.Set("Cookie", "kept=1; other=2; session="+strings.TrimPrefix(f.admin, "Bearer "))
		if got := f.send(r, c.authorization); got.status != c.status || u.take() != c.seen {
			t.Errorf("%s %s: %+v, want %d and %q", c.method, c.target, got, c.status, c.seen)
		}
	}
	if got := f.do("PUT", "/api/datasources/uid/r", f.admin, fmt.Sprintf(`{"name":"r","type":%q,"url":"http://evil.example","basicAuth":true,"basicAuthUser":"user"}`, id)); got.status != 400 || !strings.Contains(got.message(), "must be entered again") {
		t.Errorf("another address: %+v", got)
	}
}

// Every URL that the host gives to frontends exists as it is given.
func TestURLsExist(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const ds, app = "acme-url-datasource", "acme-url-app"
	f, dir := newFixture(t), t.TempDir()
	files := map[string]string{}
	for id, kind := range map[string]string{ds: "datasource", app: "app"} {
		files[id+"/"+bundle.MetadataFile] = fmt.Sprintf(`{"id":%q,"type":%q,"name":"URLs","info":{"logos":{"small":"logo.svg","large":"logo.svg"}}}`, id, kind)
		files[id+"/module.js"], files[id+"/logo.svg"] = "", "<svg/>"
	}
	testkit.WriteFiles(t, dir, files)
	f.mount(t, loader.Options{Dirs: []string{dir}})
	created := want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"r","uid":"r","type":%q,"url":%q}`, ds, u.URL+"/base"))
	urls := []string{fmt.Sprint("/api/datasources/proxy/", created["id"])}
	for _, from := range []string{"/api/frontend/settings", "/api/datasources", "/api/datasources/uid/r", "/api/plugins", "/api/plugins/" + app + "/settings"} {
		// What has no file name is the directory that paths of files are relative to.
		for _, found := range regexp.MustCompile(`"/?(api/[^"]*|public/[^"]*\.\w+)"`).FindAllStringSubmatch(f.do("GET", from, f.admin, "").body, -1) {
			urls = append(urls, "/"+found[1])
		}
	}
	for _, target := range urls {
		for _, method := range []string{"GET", "POST"} {
			if got := f.do(method, target, f.admin, ""); got.status != 200 && (method == "GET" || got.status != 405) {
				t.Errorf("%s %s: %+v", method, target, got)
			}
		}
		if isProxy := strings.Contains(target, "/proxy/"); (u.take() == "GET /base |POST /base ") != isProxy {
			t.Errorf("%s is forwarded: %v", target, !isProxy)
		}
	}
	if len(urls) < 8 {
		t.Errorf("found only %q", urls)
	}
}

func TestProxyApp(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const id = "acme-routes-app"
	f := withMounted(t, `{"id":"`+id+`","type":"app","name":"Routes",`+fmt.Sprintf(routesOf, id)+`,
		"roles":[{"role":{"name":"Owner","permissions":[{"action":"`+id+`:own"}]},"grant":["Editor"]}]}`,
		loader.Options{HostVersion: "10.4.0", Toggles: []string{loader.ToggleRoles}})
	const base = "/api/plugin-proxy/" + id + "/"
	f.check(t, "no route", 404, "GET", "/api/plugin-proxy/"+id, f.admin, "") // as the test of every route cannot tell
	if got := f.do("GET", base+"open", f.viewer, ""); got.status != 503 || !strings.Contains(got.message(), "base") {
		t.Errorf("without settings: %+v", got)
	}
	want[object](t, f, 200, "POST", "/api/plugins/"+id+"/settings", f.admin, fmt.Sprintf(`{"jsonData":{"base":%q},"secureJsonData":{"key":"k"}}`, u.URL))
	for who, status := range map[string]int{f.viewer: 403, f.editor: 200, f.admin: 200} {
		f.check(t, "own", status, "GET", base+"own/x", who, "")
	}
	if got := u.take(); got != "GET /own/x |GET /own/x " {
		t.Errorf("upstream received %q", got)
	}
	if got := f.do("GET", base+"open", f.viewer, ""); got.status != 200 || u.take() != "GET /v1 k" {
		t.Errorf("open: %+v", got)
	}
	d := withPlugin(t)
	if got := d.do("GET", "/api/plugin-proxy/"+pluginID+"/x", d.admin, ""); got.status != 404 || !strings.Contains(got.message(), "not an app") {
		t.Errorf("a data source: %+v", got)
	}
}

// However the path of a raw request is spelled, it reaches no route but the open one.
func TestProxyIsNotLeft(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	const id = "acme-routes-app"
	f := withMounted(t, `{"id":"`+id+`","type":"app","name":"Routes",`+fmt.Sprintf(routesOf, id)+`}`, loader.Options{})
	want[object](t, f, 200, "POST", "/api/plugins/"+id+"/settings", f.admin, fmt.Sprintf(`{"jsonData":{"base":%q},"secureJsonData":{"key":"k"}}`, u.URL))
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	base, sent := "/api/plugin-proxy/"+id, 0
	for _, dots := range []string{"..", "%2e%2e", ".%2e", "%252e%252e", "..;", "..%00", "..%5c", "\\..", "%c0%ae%c0%ae", "..%2f", "%2e%2e%2f", "....//"} {
		for _, form := range []string{"/open/%s/admin", "/open//%s/admin", "//open/%s/admin", "/%s/admin", "/open/x/%s/%[1]s/admin", "/open%s/admin", "/open/%sadmin", "/OPEN/%s/admin", "/;/%s/admin"} {
			conn := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
			sent++
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: %s\r\n\r\n", base+fmt.Sprintf(form, dots), f.viewer)
			got, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s %s: %v", form, dots, err)
			} else if got.StatusCode >= 500 {
				t.Errorf("%s %s: %d", form, dots, got.StatusCode)
			}
			_ = conn.Close()
			seen := u.take()
			if seen == "" {
				continue
			}
			reached := strings.Fields(seen)[1]
			if clean, err := url.PathUnescape(reached); err != nil || !strings.HasPrefix(path.Clean(clean)+"/", "/v1/") || strings.HasPrefix(path.Clean(clean)+"/", "/v1/admin/") {
				t.Errorf("%s %s: upstream received %q", form, dots, seen)
			}
		}
	}
	t.Logf("%d requests", sent)
}

// A stored secret is not sent to an address that differs from the one it was entered for,
// no matter how the address is formed.
func TestSecretsStayWithTheirOrigins(t *testing.T) {
	t.Parallel()
	const routes = `"info":{"version":"1.0.0"},"routes":[
		{"path":"a","url":"http://{{ .JsonData.host }}/"},
		{"path":"b","url":"https://{{ if .JsonData.eu }}eu.example{{ else }}us.example{{ end }}/v1"},
		{"path":"c","url":"http://fixed.example","tokenAuth":{"url":"https://{{ .JsonData.login }}.example/token","params":{}}},
		{"path":"d","url":"http://{{ .SecureJsonData.place }}/"}]}`
	const change = "secureJsonData.key: must be entered again"
	app, source := "acme-routes-app", "acme-routes-datasource"
	f := withMounted(t, `{"id":"`+app+`","type":"app","name":"R",`+routes, loader.Options{})
	g := withMounted(t, `{"id":"`+source+`","type":"datasource","name":"R",`+routes, loader.Options{})
	const first = `"jsonData":{"host":"good.example","eu":false,"login":"a","note":"x"},"secureJsonData":{"key":"k","place":"p.example"}`
	want[object](t, f, 200, "POST", "/api/plugins/"+app+"/settings", f.admin, `{`+first+`}`)
	head := `{"name":"r","type":"` + source + `",`
	want[object](t, g, 200, "POST", "/api/datasources", g.admin, head+`"uid":"r",`+first+`}`)
	for body, refused := range map[string]bool{
		`"jsonData":{"host":"evil.example","eu":false,"login":"a"}`:                                                                   true,
		`"jsonData":{"host":"good.example:81","eu":false,"login":"a"}`:                                                                true,
		`"jsonData":{"host":"good.example","eu":true,"login":"a"}`:                                                                    true,
		`"jsonData":{"host":"good.example","eu":false,"login":"evil"}`:                                                                true,
		`"jsonData":{"host":"good.example","eu":false,"login":"a"},"secureJsonData":{"place":"evil.example"}`:                         true,
		`"jsonData":{"host":"good.example","eu":false,"login":"a","note":"y"}`:                                                        false,
		`"jsonData":{"host":"GOOD.example","eu":false,"login":"a"}`:                                                                   false,
		`"jsonData":{"eu":false,"login":"a"}`:                                                                                         false,
		`"jsonData":{"host":"good.example","eu":false,"login":"a"},"secureJsonData":{"place":"p2.example","key":"k2"},"enabled":true`: false,
	} {
		want[object](t, f, 200, "POST", "/api/plugins/"+app+"/settings", f.admin, `{`+first+`}`)
		want[object](t, g, 200, "PUT", "/api/datasources/uid/r", g.admin, head+first+`}`)
		for what, got := range map[string]reply{
			"app":         f.do("POST", "/api/plugins/"+app+"/settings", f.admin, `{`+body+`}`),
			"data source": g.do("PUT", "/api/datasources/uid/r", g.admin, head+body+`}`),
		} {
			if refused != (got.status == 400 && strings.Contains(got.message(), change)) || !refused && got.status != 200 {
				t.Errorf("%s with %s: %d %s", what, body, got.status, got.body)
			}
		}
	}
}
