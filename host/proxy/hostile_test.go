package proxy_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/proxy"
)

// attempt is a hostile request. If base is set, it may be forwarded, but only to a path
// below base and without credentials of the caller.
type attempt struct{ name, text, base string }

// TestHostile sends hostile requests as bytes and checks what reaches the service: no
// path outside the base of a route, no request of callers without permission, no
// credentials of the caller.
func TestHostile(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	f.attack(t, slices.Concat(traversals(), detours(), smuggling(), queries()))
}

// TestHostileDirect does the same with a data source whose plugin declares no routes: its
// URL is the base of all paths.
func TestHostileDirect(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, direct)
	all := slices.Concat(traversals(), smuggling(), queries())
	for _, p := range []string{"", "/", "//x", "http://evil.example/", "http:%2f%2fevil.example", "//evil.example/x", "@evil.example", "a%2fb", "a//b", "a/../b", "a%3fb", "a%23b", ":80/x"} {
		all = append(all, attempt{name: "path " + p, text: request("GET", p, "viewer")})
	}
	for i := range all {
		all[i].base = "/ds"
	}
	for _, method := range []string{"TRACE", "CONNECT"} {
		all = append(all, attempt{name: method, text: request(method, "x", "admin")})
	}
	f.attack(t, append(all, attempt{name: "anonymous", text: request("GET", "x", "")}))
}

// attack sends requests and checks what reaches the service.
func (f *fixture) attack(t *testing.T, all []attempt) {
	t.Helper()
	var escapes, unauthorized, leaks, forwarded int
	for _, a := range all {
		code, _, _ := f.raw(t, a.text)
		got := f.take()
		if a.base == "" && len(got) > 0 {
			unauthorized++
			t.Errorf("%s: forwarded as %s %s", a.name, got[0].method, got[0].uri)
		}
		if a.base == "" && code >= 200 && code < 400 || code >= 500 && code != http.StatusNotImplemented {
			t.Errorf("%s: status %d", a.name, code)
		}
		for _, s := range got {
			forwarded++
			if !isWithin(a.base, s.uri) {
				escapes++
				t.Errorf("%s: %s is not below %s", a.name, s.uri, a.base)
			}
			for name, values := range s.header {
				if !isHarmless(name, values) {
					leaks++
					t.Errorf("%s: leaks %s: %q", a.name, name, values)
				}
			}
			if "http://"+s.host != f.service.URL {
				leaks++
				t.Errorf("%s: Host is %s", a.name, s.host)
			}
		}
	}
	if len(all) < 200 || forwarded == 0 {
		t.Errorf("%d attempts, %d forwarded: the test covers too little", len(all), forwarded)
	}
	t.Logf("%d hostile requests: %d escapes, %d unauthorized forwards, %d leaked headers; %d harmless ones were forwarded",
		len(all), escapes, unauthorized, leaks, forwarded)
}

// isWithin reports whether an address is below base even for a server that decodes it
// repeatedly.
func isWithin(base, uri string) bool {
	if base == "" {
		return false
	}
	text, _, _ := strings.Cut(uri, "?")
	if strings.Contains(text, "//") {
		return false
	}
	for range 10 {
		clean := path.Clean(strings.ReplaceAll(strings.ReplaceAll(text, `\`, "/"), ";", "/"))
		if clean != base && !strings.HasPrefix(clean, base+"/") {
			return false
		}
		next, err := url.PathUnescape(text)
		if err != nil {
			break
		}
		text = next
	}
	return true
}

// isHarmless reports whether a request may reach the service.
func isHarmless(name string, values []string) bool {
	own := map[string]string{"X-Key": "s3cret", "Authorization": "Bearer s3cret"}
	if want, ok := own[name]; ok {
		return len(values) == 1 && values[0] == want
	}
	switch text := strings.Join(values, ""); name {
	case "Connection", "Expect", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return false
	default:
		return !strings.ContainsAny(text, "\r\n") && !strings.Contains(text, "mine")
	}
}

// traversals returns all spellings of a dot segment at several positions in a path.
func traversals() []attempt {
	var list []attempt
	for _, up := range []string{
		".", "..", "%2e", "%2e%2e", "%2E%2e", ".%2e", "%2E.", "%252e%252e", "%25252e%25252e", "%252E.", ".%252e", "%2525252e%2525252e",
		"..;", "..;x=y", "%2e%2e;", "..%3b", "..%3Bx", "..%253b", ";", ";x", "%3b", ".;", "...", "....", "..%20", "%20..", "..%09", "..%00", "%00",
		"..%2f", "..%2F", "%2f..", "%2e%2e%2f", "..%252f", "%252f", "%2f", "..%5c", "..%5C", "%5c..", "..%255c", `..\`, `\`, "%5c",
		"%c0%ae%c0%ae", "%c0%af", "%e0%80%ae", "%c1%9c", "%uff0e%uff0e", "%25u002e%25u002e", "%u2215", "%ff", "%zz", "%", "%2",
		"%ef%bc%8e%ef%bc%8e", "%ef%bc%8f", "%e2%80%a5", "%e2%80%a4%e2%80%a4", "%e2%88%95", "%ef%bc%bc", "．．",
		"..%0d%0a", "%0a", "%0d%0aX-Evil:1", "%7f", "%c2%85", "..%e2%80%8b", "%252525252525252e", "%25%32%65%25%32%65", "", "//",
	} {
		for _, place := range []string{"api/@/secret", "api/x/@/@/@/secret", "@/api/secret", "api/x/@/../@", "act/@/x"} {
			a := attempt{name: "traversal " + place + " " + up, text: request("GET", strings.ReplaceAll(place, "@", up), "granted")}
			if isEncodedSlash := strings.Contains(" %2f %252f %5c \\ %ef%bc%8f %e2%88%95 %ef%bc%bc ", " "+up+" "); isEncodedSlash && !strings.Contains(place, "..") {
				a.base = map[string]string{"api/": "/base/v1", "act/": "/base/act"}[place[:4]]
			}
			list = append(list, a)
		}
	}
	return list
}

// detours try to reach a route by a path that is not its own, or without permission.
func detours() []attempt {
	var list []attempt
	get := func(who string, paths ...string) {
		for _, p := range paths {
			list = append(list, attempt{name: "detour " + who + " " + p, text: request("GET", p, who)})
		}
	}
	get("viewer", "apikeys", "api2/x", "ap", "a", "x/api", "API/x", "Api", "api%20/x", "api./x", "api;/x", "api%3bx/y", "%2561pi/x", "", "/", "//api/x", "/api/x", "api//admin",
		"http://evil.example/", "http:%2f%2fevil.example", "//evil.example/x", "@evil.example", "unknown", "ds/own", "base/v1",
		"api%2fadmin", "api%2Fx", "own%2f..", "proxy/api/x", "api%3fx=/y/%2e%2e", "api/x//", "api///x", "api/%20../x")
	// Other spellings must not bypass the stricter route (CVE-2025-3454).
	get("viewer", "api/admin", "api/admin/", "api/admin/x", "api//admin/x", "api/./admin", "api/x/../admin", "api/%61dmin/x", "api/%2561dmin", "api/ADMIN/x",
		"api/Admin", "api/admin;/x", "api/admin;a=b", "api/admin%3b/x", "api/admin./x", "api/admin%20", "api/admin%2e", "api/admin%252e", "api/admin%e2%80%8b", "api/aD%6din/x",
		"api/admin%2fx", "api/broken/x", "act", "act/x", "both", "both/x")
	get("admin", "api/broken", "api/broken/x", "act/x", "both/x") // no role includes actions of plugins, and the role "Anyone" is unknown
	get("granted", "both/x", "api/admin")
	get("other", "act", "act/x", "both/x") // CVE-2024-6322: the grant is for another data source
	get("none", "api/admin", "act/x")
	get("", "api", "api/x", "api/admin", "act/x", "own/x", "tenant/x", "body")
	get("nobody-known", "api/x")
	for _, method := range []string{"PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "get", "GETT", "PROPFIND", "PRI", "*"} {
		list = append(list, attempt{name: "method " + method, text: request(method, "api/x", "viewer")})
	}
	for _, line := range []string{
		"GET /proxy/../proxy/api/../x HTTP/1.1", "GET /x/../proxy/api HTTP/1.1", "GET proxy/api HTTP/1.1", "GET * HTTP/1.1", "GET  /proxy/api HTTP/1.1", "GET /proxy/api",
		"GET /proxy/api x HTTP/1.1", "GET /proxy/api\tx HTTP/1.1", "GET http://h//proxy/api HTTP/1.1", "GET /proxy/api#/../../x\\y HTTP/1.1", "CONNECT h:80 HTTP/1.1", "GET /proxy/api\x00 HTTP/1.1",
		"GET /proxy/api/\xff HTTP/1.1", "GET /proxy/" + strings.Repeat("a/", 5000) + " HTTP/1.1", "GET /proxy/api/" + strings.Repeat("%61", 4000) + " HTTP/1.1",
	} {
		list = append(list, attempt{name: "line " + line[:min(40, len(line))], text: line + "\r\nHost: h\r\nX-Who: viewer\r\nConnection: close\r\n\r\n"})
	}
	return list
}

// smuggling sends headers that must not be forwarded, or two requests in one.
func smuggling() []attempt {
	var list []attempt
	for _, line := range []string{
		"Cookie: session=mine", "Cookie: a=mine\r\nCookie: b=mine", "Authorization: Bearer mine", "authorization: Basic mine", "Authorization : Bearer mine", "Proxy-Authorization: Basic mine",
		"X-Forwarded-User: mine", "X-Forwarded-For: mine", "X-Forwarded-Host: mine", "X-Forwarded-Proto: mine", "Forwarded: for=mine", "X-Real-Ip: mine", "X-Original-Url: /mine",
		"X-Rewrite-Url: /mine", "X-Http-Method-Override: mine", "X-Method-Override: mine", "X-Grafana-User: mine", "X-Grafana-Id: mine", "X-Grafana-Org-Id: mine", "X-Grafana-Device-Id: mine",
		"X-Dashboard-Id: 1", "X-Id-Token: mine", "X-Webauth-User: mine", "Remote-User: mine", "X-HTTP-Method: mine", "X-DS-Authorization: mine", "X-Forwarded_For: mine", "X-Forwarded-Port: mine", "X-Original-Host: mine", "True-Client-IP: mine", "Sec-Fetch-Site: mine", "Access-Control-Request-Headers: mine", "X-Key: mine", "x-key: mine\r\nX-Key: mine",
		"X_Key: mine", "Origin: http://mine", "Referer: http://mine", "Host: evil.example", "Via: mine", "Te: trailers", "Trailer: X-Evil", "Upgrade: websocket", "Upgrade: h2c\r\nHTTP2-Settings: mine",
		"Connection: X-Key", "Connection: Authorization", "Connection: Content-Type, X-Key\r\nContent-Type: mine", "Connection: close, User-Agent\r\nUser-Agent: mine", "Connection: Host", "Proxy-Connection: mine",
		"Keep-Alive: timeout=9", "Expect: 100-continue", "Expect: mine", "Content-Length: 3\r\nContent-Length: 4", "Content-Length: -1", "Content-Length: +0",
		"Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding : chunked", "Transfer-Encoding:\x0bchunked", "Transfer-Encoding: identity", "X-Evil\x00: mine",
		"Accept: a\rCookie: mine", "Accept: a\nCookie: session=mine", "Accept: a\r\n Cookie: session", "Accept: \x00", "Accept\r\n: x", ": x", "Accept-Language: a\x7fb", " Cookie: mine", "Sec-Websocket-Key: mine",
	} {
		list = append(list,
			attempt{"header " + line, request("GET", "api/x", "viewer", line+"\r\n"), "/base/v1"},
			attempt{"header in a POST " + line, request("POST", "api/x", "viewer", line+"\r\n"), "/base/v1"})
	}
	second := "GET /base/secret HTTP/1.1\r\nHost: h\r\nX-Who: admin\r\n\r\n"
	for name, text := range map[string]string{
		"length and chunks": "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second,
		"two lengths":       "Content-Length: 0\r\nContent-Length: 50\r\n\r\n" + second,
		"broken chunk":      "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + second,
		"chunk extension":   "Transfer-Encoding: chunked\r\n\r\n0;a\r\n\r\n" + second,
		"trailer":           "Transfer-Encoding: chunked\r\nTrailer: Cookie\r\n\r\n0\r\nCookie: mine\r\n\r\n" + second,
		"length too small":  "Content-Length: 0\r\n\r\n" + second,
	} {
		head := strings.TrimSuffix(request("POST", "api/x", "viewer"), "\r\n")
		list = append(list, attempt{"smuggling " + name, head + text, "/base/v1"})
	}
	return list
}

// queries try to leave the query or to override parameters of the route.
func queries() []attempt {
	var list []attempt
	for _, q := range []string{"a=/../../x", "a=%2e%2e%2f", "a=b#/../x", "a=%0d%0aCookie:mine", "?x=/../", "a=\\..\\", "a=%00", "&&&", "=", "a=%ff", "a[]=1", "a=http://evil.example"} {
		list = append(list, attempt{"query " + q, request("GET", "api/x?"+q, "viewer"), "/base/v1"})
	}
	for _, q := range []string{"a;b=c", "%zz", "a=%", "a=1;fixed=2"} {
		list = append(list, attempt{name: "query " + q, text: request("GET", "api/x?"+q, "viewer")})
	}
	return list
}

// TestHostileSettings fills in routes with settings that try to change the target of
// the request. The request must either not be sent or go to the target of the route.
func TestHostileSettings(t *testing.T) {
	t.Parallel()
	local := &http.Transport{DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		if !strings.HasPrefix(to, "127.0.0.1:") {
			return nil, errors.New("no network in tests")
		}
		return new(net.Dialer).DialContext(ctx, network, to)
	}}
	f := newFixture(t, proxy.Options{Transport: local}, target)
	elsewhere := newFixture(t, proxy.Options{}, target)
	evil := strings.TrimPrefix(elsewhere.service.URL, "http://")
	values := []string{
		"@" + evil, "x@" + evil, evil + "/", "//" + evil, elsewhere.service.URL, "\\\\" + evil, "?", "#", "x?y", "x#y", "..", ".", "../..", "a/../../b", "%2e%2e", "%2e%2e/x", "..%2f", "%252e%252e",
		"..;", "a//b", "\\", "..\\", "a b", "a\r\nX-Evil: 1", "a\nb", "a\x00b", "\r\n\r\nGET / HTTP/1.1", "\x7f", "é", `","admin":true,"x":"`, "{{ .SecureJsonData.key }}", "<no value>", ":80", ".evil.example", "/", "",
		"&fixed=2", "a&fixed=2", "a%26b", "javascript:alert(1)", "file:///etc/passwd", "ftp://h/", "http://user:pass@" + evil, "\u2025", "．．／", strings.Repeat("x", 70000),
	}
	s := f.service.URL
	routes := []bundle.Route{
		{URL: s + "{{ .JsonData.v }}/base"}, {URL: s + "/base/{{ .JsonData.v }}"}, {URL: s + "/base/{{ .JsonData.v }}/x"}, {URL: s + "/base/x{{ .JsonData.v }}"}, {URL: s + "/base/{{ urlquery .JsonData.v }}/x"},
		{URL: s + "/base?q={{ .JsonData.v }}&fixed=1"}, {URL: s + "/base?q={{ urlquery .JsonData.v }}&fixed=1"},
		{URL: s + "/base", Headers: []bundle.RouteValue{{Name: "X-Key", Content: "a{{ .JsonData.v }}"}}},
		{URL: s + "/base", Body: json.RawMessage(`{"x":"{{ .JsonData.v }}","admin":false}`)},
		{URL: s + "/base?fixed=1", URLParams: []bundle.RouteValue{{Name: "q", Content: "{{ .JsonData.v }}"}}},
		{URL: "{{ .JsonData.v }}://" + strings.TrimPrefix(s, "http://") + "/base"}, {URL: "http://{{ .JsonData.v }}" + strings.TrimPrefix(s, "http://") + "/base"},
	}
	n, sent := 0, 0
	for _, r := range routes {
		for _, v := range values {
			n++
			r.Path = "r"
			f.target.Routes = []bundle.Route{r}
			f.target.JSON, _ = json.Marshal(map[string]string{"v": v})
			code, _, text := f.raw(t, request("GET", "r/end", "viewer"))
			name := r.URL + " with " + v[:min(len(v), 30)]
			got := f.take()
			if len(got) == 0 && code != 503 && (code != 502 || r.Headers != nil) || len(got) > 0 && code != 200 {
				t.Errorf("%s: %d %.200s", name, code, text)
			}
			for _, g := range got {
				sent++
				u, err := url.ParseRequestURI(g.uri)
				if err != nil || !strings.HasSuffix(u.Path, "/end") || !strings.Contains(r.URL, "{{ .JsonData.v }}/base") && !isWithin("/base", g.uri) {
					t.Errorf("%s: reached %s", name, g.uri)
				} else if strings.Contains(r.URL, "fixed") && (len(u.Query()["fixed"]) != 1 || u.Query().Get("fixed") != "1" || u.Query().Get("q") != v) {
					t.Errorf("%s: the query is %s", name, u.RawQuery)
				}
				var body struct{ X, Admin any }
				if r.Body != nil && (json.Unmarshal([]byte(g.body), &body) != nil || body.Admin != false || body.X != v) {
					t.Errorf("%s: the body is %s", name, g.body)
				}
				if g.header.Get("X-Evil") != "" {
					t.Errorf("%s: %v", name, g.header)
				}
			}
		}
	}
	if got := elsewhere.take(); len(got) > 0 {
		t.Errorf("another host was reached: %v", got)
	}
	t.Logf("%d hostile settings: %d requests were sent, all to their routes", n, sent)
	if sent < n/10 || sent > n*9/10 {
		t.Errorf("%d of %d requests were sent: the test covers too little", sent, n)
	}
}

// If plugin.json or a setting is invalid or missing, nothing is sent, and the error
// explains why.
func TestMissing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, proxy.Options{}, target)
	s := f.service.URL
	header := func(content string) bundle.Route {
		return bundle.Route{URL: s, Headers: []bundle.RouteValue{{Name: "X-Key", Content: content}}}
	}
	named := func(name string) bundle.Route {
		return bundle.Route{URL: s, Headers: []bundle.RouteValue{{Name: name, Content: "x"}}}
	}
	for _, c := range []struct {
		contains string
		route    bundle.Route
	}{
		{`"absent"`, header("{{ .SecureJsonData.absent }}")}, {`"absent"`, header("{{ .JsonData.absent }}")}, {`"nothing"`, header("{{ .JsonData.nothing }}")},
		{`"absent"`, header(`{{ index .JsonData "absent" }}`)}, {`"absent"`, header("{{ if .JsonData.absent }}x{{ end }}")}, {"absent", header("{{ .JsonData.nested.absent }}")},
		{"string", header("{{ .JsonData.nested }}")}, {"string", header("{{ .SecureJsonData }}")}, {"Other", header("{{ .Other }}")},
		{"range", header("{{ range .JsonData }}x{{ end }}")}, {"another", header(`{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`)}, {"another", header(`{{ define "x" }}{{ end }}`)},
		{"call", header("{{ call .JsonData }}")}, {"html", header("{{ html .JsonData.on }}")}, {"printf", header(`{{ printf "%1000000d" 1 }}`)}, {"printf", header(`{{ printf "%*d" 1000000 1 }}`)},
		{"function", header("{{ env }}")}, {"unexpected", header("{{ .JsonData.tenant }")}, {"bytes", header("{{/*" + strings.Repeat("x", 20000) + "*/}}")},
		{"absent", bundle.Route{URL: "{{ .JsonData.absent }}"}}, {"absent", bundle.Route{URL: s + "/{{ .JsonData.absent }}"}}, {"absent", bundle.Route{URL: s, Body: json.RawMessage(`{"a":[{"b":"{{ .JsonData.absent }}"}]}`)}},
		{"absent", bundle.Route{URL: s, URLParams: []bundle.RouteValue{{Name: "a", Content: "{{ .JsonData.absent }}"}}}},
		{"object", bundle.Route{URL: s, Body: json.RawMessage(`"text"`)}}, {"http", bundle.Route{URL: "ftp://h/"}}, {"http", bundle.Route{URL: "/relative"}}, {"user", bundle.Route{URL: "http://a:b@h/"}}, {"fragment", bundle.Route{URL: s + "/#x"}},
		{"a segment must not be \".\"", bundle.Route{URL: s + "/a/../b"}}, {"must not be empty", bundle.Route{URL: s + "/a//b"}}, {"host", bundle.Route{URL: "http:///x"}},
		{"Host", named("Host")}, {"connection", named("connection")}, {"Transfer-Encoding", named("Transfer-Encoding")}, {"Content-Length", named("Content-Length")}, {"cannot be set", named("")}, {"cannot be set", named("a b")}, {"cannot be set", named("a\r\nb")}, {"Proxy-", named("Proxy-Authorization")},
		{"absent", bundle.Route{URL: s, TokenAuth: &bundle.TokenAuth{URL: s, Params: map[string]string{"client_id": "{{ .JsonData.absent }}"}}}}, {"tokenAuth.url", bundle.Route{URL: s, TokenAuth: &bundle.TokenAuth{}}},
		{"PEM", bundle.Route{URL: s, JWTTokenAuth: &bundle.TokenAuth{URL: s, Params: map[string]string{"private_key": "none"}}}},
	} {
		c.route.Path = "r"
		f.target.Routes = []bundle.Route{c.route}
		code, _, text := f.raw(t, request("GET", "r", "viewer"))
		if got := f.take(); code != http.StatusServiceUnavailable || !strings.Contains(text, c.contains) || strings.Contains(text, "s3cret") || len(got) > 0 {
			t.Errorf("%.100v: %d %.300s, reached %d", c.route, code, text, len(got))
		}
	}
	for content, want := range map[string]string{
		"{{.JsonData.tenant}}": "t 1", "{{ .JsonData.port }}/{{ .JsonData.on }}": "8080/true", "{{ .JsonData.nested.a }}": "b", `{{ index .JsonData "tenant" }}`: "t 1", `{{ printf "%s-%s" .JsonData.port .JsonData.tenant }}`: "8080-t 1",
		"{{ if .JsonData.on }}yes{{ else }}no{{ end }}": "yes", "{{ .JsonData.tenant | urlquery }}": "t+1", "plain": "plain", `{{ with $x := .JsonData.nested }}{{ $x.a }}{{ end }}`: "b", `{{- .SecureJsonData.key -}} `: "s3cret",
	} {
		r := header(content)
		r.Path = "r"
		f.target.Routes = []bundle.Route{r}
		code, _, text := f.raw(t, request("GET", "r", "viewer"))
		if got := f.take(); code != 200 || len(got) != 1 || got[0].header.Get("X-Key") != want {
			t.Errorf("%s: %d %s, %v", content, code, text, got)
		}
	}
}
