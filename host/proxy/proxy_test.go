package proxy_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const scope = "datasources:uid:a"

// seen is a request that reached the service.
type seen struct {
	method, uri, host, body string
	header                  http.Header
}

// fixture is a host with a proxy in front of a service that records requests.
type fixture struct {
	target  proxy.Target
	front   *httptest.Server
	service *httptest.Server
	respond http.HandlerFunc // of the service, after it has recorded the request

	mu      sync.Mutex
	reached []seen
}

// readBody reads bodies with a limit, as the API does.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16<<20))
	if err != nil {
		err = host.Invalid("body", "is incomplete or too large")
	}
	return raw, err
}

// newFixture serves /proxy/ with the target for the address of the service. The header
// X-Who names the caller of a request.
func newFixture(t *testing.T, o proxy.Options, target func(service string) proxy.Target) *fixture {
	t.Helper()
	f := &fixture{respond: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }}
	f.service = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.mu.Lock()
		f.reached = append(f.reached, seen{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()})
		f.mu.Unlock()
		f.respond(w, r)
	}))
	t.Cleanup(f.service.Close)
	f.target = target(f.service.URL)
	o.ReadBody = readBody
	p := proxy.New(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	f.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		escaped, ok := strings.CutPrefix(r.URL.EscapedPath(), "/proxy")
		if !ok || escaped != "" && escaped[0] != '/' {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		began, who := &beginning{ResponseWriter: w}, callers()[r.Header.Get("X-Who")]
		r.Header.Del("X-Who")
		err := p.Forward(began, r, who, escaped, f.target)
		if err != nil && began.has {
			panic(http.ErrAbortHandler)
		}
		if err != nil {
			http.Error(w, err.Error(), status(err))
		}
	}))
	t.Cleanup(f.front.Close)
	return f
}

// beginning records whether a response has begun.
type beginning struct {
	http.ResponseWriter
	has bool
}

func (b *beginning) Unwrap() http.ResponseWriter { return b.ResponseWriter }
func (b *beginning) WriteHeader(status int)      { b.has = true; b.ResponseWriter.WriteHeader(status) }

func callers() map[string]host.Identity {
	as := func(role host.Role, grants ...host.Grant) host.Identity {
		return host.Identity{Kind: host.KindUser, ID: 1, OrgID: 1, Login: "someone", Role: role, Grants: grants}
	}
	return map[string]host.Identity{
		"":        {},
		"none":    as(host.RoleNone),
		"viewer":  as(host.RoleViewer),
		"editor":  as(host.RoleEditor),
		"admin":   as(host.RoleAdmin),
		"granted": as(host.RoleViewer, host.Grant{Action: "acme-ds:read", Scope: scope}),
		"other":   as(host.RoleAdmin, host.Grant{Action: "acme-ds:read", Scope: "datasources:uid:b"}),
	}
}

func status(err error) int {
	for category, status := range map[error]int{
		host.ErrInvalid: 400, host.ErrUnauthorized: 401, host.ErrForbidden: 403, host.ErrNotFound: 404,
		host.ErrUpstream: 502, host.ErrUnavailable: 503, host.ErrTimeout: 504,
	} {
		if errors.Is(err, category) {
			return status
		}
	}
	return 500
}

// take returns the requests that reached the service since the last call.
func (f *fixture) take() []seen {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.reached
	f.reached = nil
	return list
}

// raw sends text as it is and returns the first response.
func (f *fixture) raw(t *testing.T, text string) (int, http.Header, string) {
	t.Helper()
	conn := testkit.Must(net.Dial("tcp", f.front.Listener.Addr().String()))(t)
	defer conn.Close()
	testkit.OK(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	if _, err := io.WriteString(conn, text); err != nil {
		return 0, nil, "" // the connection was cut
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, nil, ""
	}
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(body)
}

// request returns the text of a request.
func request(method, path, who string, lines ...string) string {
	text := method + " /proxy/" + path + " HTTP/1.1\r\nHost: front\r\nConnection: close\r\n"
	if who != "" {
		text += "X-Who: " + who + "\r\n"
	}
	return text + strings.Join(append(lines, "\r\n"), "")
}

// bodyOf returns the text of a request with a body.
func bodyOf(method, path, who, body string, lines ...string) string {
	return request(method, path, who, append(lines, "Content-Length: ", itoa(len(body)), "\r\n")...) + body
}

func itoa(n int) string { text, _ := json.Marshal(n); return string(text) }

// direct returns a data source whose plugin declares no routes.
func direct(service string) proxy.Target {
	return proxy.Target{
		PluginID: "acme-ds", Scope: scope, URL: service + "/ds",
		JSON:      json.RawMessage(`{"timeout":"30s","oauthPassThru":"true","httpHeaderName1":"X-Key","httpHeaderName2":"Authorization","httpHeaderName3":"","tlsSkipVerify":false,"serverName":""}`),
		Secrets:   map[string]string{"httpHeaderValue1": "s3cret", "httpHeaderValue2": "Bearer s3cret", "basicAuthPassword": "pass"},
		BasicAuth: true, BasicAuthUser: "user",
	}
}

// Without routes, a request is forwarded to the URL of the data source with its sign-in. A
// redirect is passed back only if it stays below the URL, and is not followed.
func TestDirect(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, direct)
	f.respond = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://127.0.0.1/elsewhere")
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
	f.target.Cookies = "kept=1"
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"} {
		code, header, _ := f.raw(t, bodyOf(method, "a/b/?x=1", "viewer", "body", "Cookie: mine=1\r\n", "Authorization: Basic mine\r\n"))
		got := f.take()
		if code != http.StatusTemporaryRedirect || header.Get("Location") != "" || len(got) != 1 {
			t.Fatalf("%s: %d %v, reached %v", method, code, header, got)
		}
		if s := got[0]; s.method != method || s.uri != "/ds/a/b/?x=1" || "http://"+s.host != f.service.URL || s.body != "body" ||
			s.header.Get("X-Key") != "s3cret" || s.header.Get("Authorization") != "Bearer s3cret" || s.header.Get("Cookie") != "kept=1" {
			t.Errorf("%s: the service received %+v", method, s)
		}
	}
	f.target.JSON = nil
	f.raw(t, request("GET", "x", "viewer"))
	if got := f.take(); len(got) != 1 || got[0].header.Get("Authorization") != "Basic dXNlcjpwYXNz" || got[0].header.Get("X-Key") != "" {
		t.Errorf("basic authentication: %+v", got)
	}
	for settings, contains := range map[string]string{
		`{"tlsSkipVerify":"x"}`: "tlsSkipVerify", `{"tlsAuth":true}`: "tlsClientCert", `{"tlsAuthWithCACert":true}`: "tlsCACert",
		`{"httpHeaderName1":"Host"}`: "httpHeaderName1", `{"httpHeaderName1":"a b"}`: "httpHeaderName1", `{"httpHeaderName1":5}`: "httpHeaderName1",
		`{"httpHeaderName4":"X-Key"}`: "httpHeaderValue4", `{"httpHeaderName5":"X-Key"}`: "httpHeaderValue5", `[]`: "object",
	} {
		f.target.JSON, f.target.Secrets["httpHeaderValue5"] = json.RawMessage(settings), "s3cret\r\nX-Evil: 1"
		if code, _, text := f.raw(t, request("GET", "x", "viewer")); code != http.StatusServiceUnavailable || !strings.Contains(text, contains) || strings.Contains(text, "s3cret") || len(f.take()) > 0 {
			t.Errorf("%s: %d %s", settings, code, text)
		}
	}
	f.target.JSON = nil
	for url, want := range map[string]int{"": 404, "127.0.0.1:80": 503, "ftp://h/": 503, "file:///etc/passwd": 503, "http://a:b@h/": 503, f.service.URL + "/../x": 503} {
		f.target.URL = url
		if code, _, text := f.raw(t, request("GET", "x", "admin")); code != want || url == "" && !strings.Contains(text, "no URL") || len(f.take()) > 0 {
			t.Errorf("the URL %q: %d %s, want %d", url, code, text, want)
		}
	}
}

// target returns a target with a route of each kind.
func target(service string) proxy.Target {
	return proxy.Target{
		PluginID: "acme-ds", Scope: scope, URL: service + "/ds",
		JSON:    json.RawMessage(`{"tenant":"t 1","port":8080,"on":true,"nothing":null,"nested":{"a":"b"}}`),
		Secrets: map[string]string{"key": "s3cret", "quote": `a","admin":"b`},
		Routes: []bundle.Route{
			{Path: "api", Method: "GET, post ,DELETE", URL: service + "/base/v1", Headers: []bundle.RouteValue{
				{Name: "X-Key", Content: "{{ .SecureJsonData.key }}"}, {Name: "authorization", Content: "Bearer {{.SecureJsonData.key}}"}}},
			{Path: "api/admin", ReqRole: "Admin", URL: service + "/base/admin"},
			{Path: "api/broken", ReqRole: "Anyone", URL: service + "/base/broken"},
			{Path: "act", ReqAction: "acme-ds:read", URL: service + "/base/act"},
			{Path: "both", ReqAction: "acme-ds:read", ReqRole: "Admin", URL: service + "/base/both"},
			{Path: "own", Method: "GET"},
			{Path: "tenant", URL: service + "/base/{{ .JsonData.tenant }}/x?fixed=1&k={{ .SecureJsonData.quote }}",
				URLParams: []bundle.RouteValue{{Name: "port", Content: "{{ .JsonData.port }}"}}},
			{Path: "body", Method: "*", URL: service + "/base/body", Body: json.RawMessage(
				`{"user":"{{ .SecureJsonData.quote }}","n":12345678901234567890,"list":["{{ .JsonData.tenant }}",true]}`)},
		},
	}
}

// TestForward shows that harmless requests are forwarded: TestHostile would also pass if
// none were.
func TestForward(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	for _, c := range []struct {
		name, text string
		want       seen
	}{
		{"a route", request("GET", "api/users", "viewer"), seen{method: "GET", uri: "/base/v1/users"}},
		{"no role, if the route requires none", request("GET", "api/users", "none"), seen{method: "GET", uri: "/base/v1/users"}},
		{"the route itself", request("GET", "api", "viewer"), seen{method: "GET", uri: "/base/v1"}},
		{"a trailing slash", request("GET", "api/users/", "viewer"), seen{method: "GET", uri: "/base/v1/users/"}},
		{"needless escapes", request("GET", "%61pi/%75sers", "viewer"), seen{method: "GET", uri: "/base/v1/users"}},
		{"needed escapes", request("GET", "api/a%20b/100%25/%C3%A4", "viewer"), seen{method: "GET", uri: "/base/v1/a%20b/100%25/%C3%A4"}},
		{"dots inside of names", request("GET", "api/v1..v2/.well-known/x.y", "viewer"), seen{method: "GET", uri: "/base/v1/v1..v2/.well-known/x.y"}},
		{"a question mark in a name", request("GET", "api/a%3Fb?c=d", "viewer"), seen{method: "GET", uri: "/base/v1/a%3Fb?c=d"}},
		{"a query", request("GET", "api/q?b=2&a=1%201&b=3&flag", "viewer"), seen{method: "GET", uri: "/base/v1/q?b=2&a=1+1&b=3&flag"}},
		{"methods have spaces and any case", bodyOf("POST", "api/x", "viewer", "hello"), seen{method: "POST", uri: "/base/v1/x", body: "hello"}},
		{"the last method", request("DELETE", "api/x", "viewer"), seen{method: "DELETE", uri: "/base/v1/x"}},
		{"a chunked body", request("POST", "api/x", "viewer", "Transfer-Encoding: chunked\r\n") + "5\r\nhello\r\n0\r\n\r\n", seen{method: "POST", uri: "/base/v1/x", body: "hello"}},
		{"the longest route", request("GET", "api/admin/x", "admin"), seen{method: "GET", uri: "/base/admin/x"}},
		{"a plugin's action", request("GET", "act/x", "granted"), seen{method: "GET", uri: "/base/act/x"}},
		{"the data source's address", request("GET", "own/x?y=z", "viewer"), seen{method: "GET", uri: "/ds/own/x?y=z"}},
		{"settings in the address", request("GET", "tenant/y", "viewer"), seen{method: "GET", uri: "/base/t%201/x/y?fixed=1&k=a%22%2C%22admin%22%3A%22b&port=8080"}},
		{"the route's parameters win", request("GET", "tenant/y?FIXED=2&port=1&free=3", "viewer"), seen{method: "GET", uri: "/base/t%201/x/y?fixed=1&k=a%22%2C%22admin%22%3A%22b&port=8080&free=3"}},
		{"a body defined by the route", bodyOf("PUT", "body", "viewer", "mine"), seen{method: "PUT", uri: "/base/body",
			body: `{"list":["t 1",true],"n":12345678901234567890,"user":"a\",\"admin\":\"b"}`}},
		{"an absolute address of the request", strings.Replace(request("GET", "api/x", "viewer"), "/proxy", "http://elsewhere.example/proxy", 1), seen{method: "GET", uri: "/base/v1/x"}},
	} {
		code, _, text := f.raw(t, c.text)
		got := f.take()
		if code != 200 || text != "ok" || len(got) != 1 {
			t.Errorf("%s: %d %s, reached %v", c.name, code, text, got)
			continue
		}
		c.want.host = f.service.Listener.Addr().String()
		if diff := cmp.Diff(c.want, got[0], cmp.AllowUnexported(seen{}), cmpopts.IgnoreFields(seen{}, "header")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	f.target.JSON = json.RawMessage(`{"httpHeaderName1":"X-Key","httpHeaderName2":"X-Own"}`)
	f.target.Secrets["httpHeaderValue1"], f.target.Secrets["httpHeaderValue2"], f.target.Secrets["basicAuthPassword"] = "own", "own", "pass"
	f.target.BasicAuth, f.target.BasicAuthUser, f.target.Cookies = true, "user", "kept=1"
	f.target.Routes = append(f.target.Routes, bundle.Route{Path: "plain"})
	passed := map[string]string{"Accept": "text/plain", "Accept-Encoding": "gzip", "Content-Type": "application/json", "Content-Encoding": "br",
		"User-Agent": "tester", "If-None-Match": `"1"`, "Traceparent": "00-1", "Mcp-Session-Id": "m", "Last-Event-Id": "7",
		"Idempotency-Key": "i", "Prefer": "wait=1", "X-Custom": "c", "X-Api-Key": "theirs"}
	lines := []string{"X-Key: mine\r\n", "X-Own: mine\r\n", "Cookie: mine=1\r\n", "Authorization: Bearer mine.token\r\n", "X-Repeated: mine.token\r\n",
		"X_Key: mine\r\n", "Connection: X-Hop\r\n", "X-Hop: mine\r\n"}
	for name, value := range passed {
		lines = append(lines, name+": "+value+"\r\n")
	}
	for _, c := range []struct{ path, line, key, authorization string }{
		{"api/x", "X-DS-Authorization: Bearer theirs\r\n", "s3cret", "Bearer s3cret"}, // the route comes first
		{"plain", "X-DS-Authorization: Bearer theirs\r\n", "own", "Bearer theirs"},
		{"plain", "X-DS-Authorization: Bearer mine.token\r\n", "own", "Basic dXNlcjpwYXNz"},
		{"plain", "", "own", "Basic dXNlcjpwYXNz"},
	} {
		code, _, _ := f.raw(t, bodyOf("POST", c.path, "viewer", "{}", append([]string{c.line}, lines...)...))
		got := f.take()
		if code != 200 || len(got) != 1 {
			t.Fatalf("%d, %v", code, got)
		}
		want := http.Header{"X-Key": {c.key}, "X-Own": {"own"}, "Authorization": {c.authorization}, "Cookie": {"kept=1"}, "Content-Length": {"2"}}
		for name, value := range passed {
			want.Set(name, value)
		}
		if diff := cmp.Diff(want, got[0].header); diff != "" {
			t.Errorf("%s %s(-want +got):\n%s", c.path, c.line, diff)
		}
	}
}

// To frontends of existing hosts, 401 means to sign in to the host again.
func TestRefusedSignIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	f.respond = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", "Bearer")
		w.WriteHeader(http.StatusUnauthorized)
	}
	if code, header, text := f.raw(t, request("GET", "api/x", "viewer")); code != 400 || !strings.Contains(text, "Authentication to data source failed") || header.Get("WWW-Authenticate") != "" {
		t.Errorf("a data source: %d %v %s", code, header, text)
	}
	f.target.Scope = "plugins:id:acme-app"
	if code, header, _ := f.raw(t, request("GET", "api/x", "viewer")); code != 401 || header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("an app: %d %v", code, header)
	}
}

func TestResponseHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	f.respond = func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Set-Cookie", "early=1")
		w.WriteHeader(http.StatusEarlyHints)
		for _, line := range []string{
			"Set-Cookie: a=b", "Set-Cookie2: a=b", "Access-Control-Allow-Origin: *", "Access-Control-Allow-Credentials: true",
			"Content-Security-Policy: default-src *", "Strict-Transport-Security: max-age=1", "Clear-Site-Data: *", "Refresh: 0;url=/logout",
			"X-Accel-Redirect: /etc/passwd", "X-Sendfile: /etc/passwd", "WWW-Authenticate: Basic", "X-Frame-Options: ALLOWALL", "Alt-Svc: h2",
			"Keep-Alive: timeout=1", "Proxy-Authenticate: Basic", "Upgrade: h2c", "Service-Worker-Allowed: /", "X-Request-Id: forged",
			"Connection: Etag", "Etag: hop", "Content-Type: text/html", "Cache-Control: no-store", "X-Total-Count: 3", "Trailer: Set-Cookie",
			"Content-Security-Policy-Report-Only: x", "Cross-Origin-Opener-Policy: same-origin", "Permissions-Policy: x", "Referrer-Policy: unsafe-url",
			"Nel: {}", "Report-To: {}", "Reporting-Endpoints: a=b", "Origin-Trial: x", "Use-As-Dictionary: match=*", "Speculation-Rules: x", "Sourcemap: /x",
			"X-Content-Type-Options: none", "X-Accel-Buffering: no", "Deprecation: @1", "X_Sendfile: /etc/passwd", "WWW-Authenticate: Bearer, Digest realm=x",
			"Mcp-Session-Id: m", "Link: </x?page=2>; rel=next", "RateLimit-Remaining: 3", "Server-Timing: db;dur=1", "Traceparent: 00-1", "X-Anything: 1",
			"WWW-Authenticate: Bearer",
		} {
			name, value, _ := strings.Cut(line, ": ")
			h.Add(name, value)
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "<script>")
		h.Set("Set-Cookie", "late=1")
	}
	code, header, body := f.raw(t, request("GET", "api/x", "viewer"))
	want := http.Header{"Content-Type": {"text/html"}, "Cache-Control": {"no-store"}, "X-Total-Count": {"3"},
		"Content-Security-Policy": {"sandbox; frame-ancestors 'self'"}, "X-Content-Type-Options": {"nosniff"},
		"Mcp-Session-Id": {"m"}, "Link": {"</x?page=2>; rel=next"}, "Ratelimit-Remaining": {"3"}, "Server-Timing": {"db;dur=1"}, "Traceparent": {"00-1"},
		"X-Anything": {"1"}, "Www-Authenticate": {"Bearer"}}
	for _, name := range []string{"Date", "Content-Length", "Connection"} {
		header.Del(name)
	}
	if diff := cmp.Diff(want, header); code != http.StatusTeapot || body != "<script>" || diff != "" {
		t.Errorf("%d %s (-want +got):\n%s", code, body, diff)
	}
	if got := f.take(); len(got) != 1 {
		t.Errorf("reached %v", got)
	}
}

// Redirects are passed on, not followed, unless they lead out of the route.
func TestRedirect(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	for place, want := range map[string]string{
		"next": "next", "next?page=2": "next?page=2", "a/b": "a/b",
		"/logout": "", "//evil.example/": "", "http://evil.example/": "", "../../../api/user": "", "a/../../b": "", "%2e%2e/x": "",
		"javascript:alert(1)": "", `\\evil.example`: "", "?only=query": "", "/\\evil.example": "", "a//b": "",
	} {
		f.respond = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", place)
			w.WriteHeader(http.StatusFound)
		}
		code, header, _ := f.raw(t, request("GET", "api/x", "viewer"))
		if got := f.take(); code != 302 || header.Get("Location") != want || len(got) != 1 {
			t.Errorf("%s: %d to %q, reached %v", place, code, header.Get("Location"), got)
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	next := make(chan struct{})
	f.respond = func(w http.ResponseWriter, _ *http.Request) {
		c := http.NewResponseController(w)
		_ = c.Flush()
		for _, part := range []string{"one", "two"} {
			<-next
			_, _ = io.WriteString(w, part)
			_ = c.Flush()
		}
	}
	req := testkit.Must(http.NewRequestWithContext(t.Context(), "GET", f.front.URL+"/proxy/api/stream", nil))(t)
	req.Header.Set("X-Who", "viewer")
	res := testkit.Must(f.front.Client().Do(req))(t) // returns before the first part is sent
	defer res.Body.Close()
	for _, want := range []string{"one", "two"} {
		next <- struct{}{}
		part := make([]byte, 3)
		if _, err := io.ReadFull(res.Body, part); err != nil || string(part) != want {
			t.Fatalf("%q, %v", part, err)
		}
	}
}

func TestBrokenService(t *testing.T) {
	t.Parallel()
	closed := httptest.NewServer(nil)
	closed.Close()
	f := newFixture(t, proxy.Options{Transport: &http.Transport{ResponseHeaderTimeout: 2 * time.Second}}, target)
	done := make(chan struct{})
	defer close(done)
	f.target.Routes = append(f.target.Routes, bundle.Route{Path: "gone", URL: closed.URL}, bundle.Route{Path: "app"})
	f.respond = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/slow"):
			<-done
		case strings.HasSuffix(r.URL.Path, "/switch"):
			conn, _, _ := http.NewResponseController(w).Hijack()
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
			_ = conn.Close()
		case strings.HasSuffix(r.URL.Path, "/cut"):
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		}
	}
	for path, want := range map[string]int{"api/slow": 504, "gone": 502, "api/switch": 502} {
		code, _, text := f.raw(t, request("GET", path, "viewer"))
		if code != want {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if _, header, text := f.raw(t, request("GET", "api/cut", "viewer")); header.Get("Content-Length") != "100" || text != "half" {
		t.Errorf("an incomplete response looks complete: %v %q", header, text)
	}
	f.target.URL = ""
	if code, _, text := f.raw(t, request("GET", "app", "viewer")); code != 503 || !strings.Contains(text, "has a URL") {
		t.Errorf("route of an app without a URL: %d %s", code, text)
	}
	if code, _, text := f.raw(t, bodyOf("POST", "api/x", "viewer", strings.Repeat("x", 17<<20))); code != 400 && code != 0 {
		t.Errorf("large body: %d %s", code, text)
	}
	for _, s := range f.take() {
		if s.method == "POST" {
			t.Errorf("part of a large body was sent: %d bytes", len(s.body))
		}
	}
}
