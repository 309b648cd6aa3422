package api_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/api"
)

// A name with an asterisk, as in certificates, stands for names with one more label.
func TestAllowedWildcards(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"a.example.com": true, "A.Example.com:3000": true, "example.com": false, "a.b.example.com": false, "aexample.com": false,
	} {
		if got := api.AllowsHost([]string{"*.example.com"}, name); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
}

func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	f := newFixture(t) // which allows example.com
	for name, want := range map[string]int{
		"localhost": 200, "LOCALHOST:3000": 200, "localhost.": 200, "a.localhost": 200, "127.0.0.1": 200, "127.8.9.10:1": 200,
		"[::1]": 200, "[::1]:3000": 200, "[::ffff:127.0.0.1]:3000": 200, "example.com": 200, "Example.Com.:65535": 200,
		"": 421, ".": 421, ".localhost": 421, ":3000": 421, "evil.example": 421, "localhost.evil.example": 421, "notlocalhost": 421, "www.example.com": 421,
		"example.com.evil.example": 421, "10.0.0.1": 421, "0.0.0.0": 421, "[::]": 421, "[::2]:80": 421, "127.1": 421, "2130706433": 421, "0x7f.1": 421,
		"::1": 421, "[localhost]": 421, "[127.0.0.1]:80": 421, "[::1": 421, "::1]": 421, "[[::1]]": 421, "[::1]x": 421, "[::1%25lo]": 421,
		"localhost:": 421, "localhost:65536": 421, "localhost:-1": 421, "localhost:80:80": 421, "localhost:http": 421, "a@localhost": 421,
		"localhost evil.example": 421, "localhost,evil.example": 421, "localhost/": 421, "localhost\x00": 421, "*": 421,
	} {
		for _, target := range []string{"/metrics", "/api/openapi.json", "/api/health", "/api/nope"} {
			r := httptest.NewRequest("GET", target, nil)
			r.Host = name
			got := f.send(r, "")
			if target == "/api/nope" && want == 200 {
				got.status = map[int]int{404: 200}[got.status]
			}
			if got.status != want || want == 421 && !strings.Contains(got.message(), "is not allowed") {
				t.Errorf("%s for the host %q: %+v, want %d", target, name, got, want)
			}
		}
	}
	r := httptest.NewRequest("GET", "/api/health", nil)
	r.Host, r.Proto, r.ProtoMinor = "", "HTTP/1.0", 0
	if got := f.send(r, ""); got.status != 200 {
		t.Errorf("HTTP/1.0 without a host name: %+v", got)
	}
}

// A header that decides whether a request is served must not occur twice: a proxy may have
// checked the other one.
func TestRepeatedHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, values := range map[string][]string{
		"Authorization": {f.viewer, f.admin}, "Origin": {"http://example.com", "http://evil.example"}, "Sec-Fetch-Site": {"same-origin", "cross-site"},
	} {
		r := httptest.NewRequest("POST", "/api/playlists", strings.NewReader(`{"name":"x","interval":"5m"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", f.editor)
		r.Header[name] = values
		if got := f.send(r, ""); got.status != 400 || !strings.Contains(got.message(), "more than once") {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.EndStreams()
	check := func(name string, got reply) {
		t.Helper()
		h := got.header
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'self'") {
			t.Errorf("%s: %d with headers %v", name, got.status, h)
		}
		if strings.Contains(got.body, "goroutine ") || strings.Contains(got.body, ".go:") {
			t.Errorf("%s: the response contains a stack: %s", name, got.body)
		}
	}
	for _, route := range f.Routes() {
		for _, authorization := range []string{"", f.viewer, f.admin} {
			check(route.Method+" "+route.Pattern, f.do(method(route), target(route), authorization, ""))
		}
	}
	check("unknown path", f.do("GET", "/nope", "", ""))
	check("empty segment", f.do("GET", "/api//user", "", ""))
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Host = "evil.example"
	check("host name", f.send(r, ""))
}

// exchange sends raw bytes to a server and returns the status of the first response, or 0
// if the server closes the connection instead.
func exchange(t *testing.T, address, text string) (status int, location string) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, text); err != nil {
		return 0, ""
	}
	got, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, ""
	}
	_, _ = io.Copy(io.Discard, got.Body)
	_ = got.Body.Close()
	return got.StatusCode, got.Header.Get("Location")
}

// hostile generates requests that must not be accepted.
type hostile struct {
	*rand.Rand
	known string // Basic credentials of the admin
	token string // of an editor
}

func (h hostile) pick(list ...string) string { return list[h.IntN(len(list))] }

func (h hostile) word() string {
	return strings.ToLower(base64.RawURLEncoding.EncodeToString([]byte(fmt.Sprint(h.Uint32()))))
}

// mix joins some of the parts in random order.
func (h hostile) mix(parts ...string) string {
	h.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts[:1+h.IntN(len(parts))], "")
}

func (h hostile) request(line, host string, headers ...string) string {
	return line + "\r\nHost: " + host + "\r\nConnection: close\r\n" + strings.Join(headers, "") + "\r\n"
}

// host asks for something public under a name that is not the host's.
func (h hostile) host() string {
	evil := h.word() + ".example"
	line := "GET " + h.pick("/metrics", "/api/openapi.json", "/api/health", "/avatar/0123456789abcdef0123456789abcdef", "/public/plugins/acme-test-datasource/module.js") + " HTTP/1.1"
	if h.IntN(8) == 0 {
		return h.request(strings.Replace(line, " /", " http://"+evil+"/", 1), "localhost")
	}
	name := h.pick(evil, "localhost."+evil, "127.0.0.1."+evil, "localhost-"+evil, evil+".localhost.example", "example.com."+evil, h.word()+"example.com",
		fmt.Sprintf("10.%d.%d.1", h.IntN(256), h.IntN(256)), fmt.Sprint(h.Uint32()), "0x7f000001", "0177.0.0.1", "127.1", "0.0.0.0", "[::]",
		fmt.Sprintf("[fd00::%x]", h.IntN(1<<16)), "[::1", "[localhost]", "localhost@"+evil, "localhost#"+evil, "localhost,"+evil, "localhost\\"+evil,
		"l\u043ecalhost", "localhost%00", "localhost%2e"+evil, h.mix("localhost", ".", evil, ":80", "@", "_")+"."+evil, "localhost:80:"+fmt.Sprint(h.IntN(1<<16)), "localhost:"+h.word())
	if !strings.Contains(name, ":") {
		name += h.pick("", ":80", ":3000", ".", ".:443")
	}
	return h.request(line, name, h.pick("", "X-Forwarded-Host: localhost\r\n", "Forwarded: host=localhost\r\n", "X-Host: localhost\r\n", "Host: localhost\r\n", "Origin: http://localhost\r\n"))
}

// origin makes a change with the credentials of the user, from a page of another origin.
func (h hostile) origin() string {
	evil := h.word() + ".example"
	body := `{"name":"` + h.word() + `","interval":"5m"}`
	header := h.pick("Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n", "Sec-Fetch-Site: "+h.word()+"\r\n", "Origin: null\r\n",
		"Origin: http://"+evil+"\r\n", "Origin: http://localhost."+evil+"\r\n", "Origin: http://localhost:81\r\n", "Origin: http://localhost@"+evil+"\r\n",
		"Origin: localhost\r\n", "Origin: file://\r\n", "Origin: http://127.0.0.1\r\n", "Origin: http://localhost "+evil+"\r\n", "Origin: http://[::1]\r\n",
		"Origin: chrome-extension://"+h.word()+"\r\n", "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost\r\n", "sec-fetch-site: CROSS-SITE\r\n")
	line := h.pick("POST /api/playlists", "POST /api/folders", "PUT /api/playlists/kept", "PATCH /api/serviceaccounts/1", "DELETE /api/playlists/kept",
		"POST /api/auth/keys", "POST /api/datasources", "BREW /api/playlists")
	authorization := h.pick("Authorization: Basic "+h.known, "Authorization: Bearer "+h.token) + "\r\n"
	return h.request(line+" HTTP/1.1", "localhost", header, authorization, h.pick("", "Cookie: session=1\r\n", "Referer: http://localhost/\r\n"),
		"Content-Type: "+h.pick("application/json", "text/plain")+"\r\n", fmt.Sprintf("Content-Length: %d\r\n", len(body))) + body
}

// path asks for something protected, without credentials, on a detour.
func (h hostile) path() string {
	segments := strings.Split(h.pick("api/playlists", "api/user", "api/serviceaccounts/search", "api/auth/keys", "api/datasources/uid/x/resources/a",
		"api/plugins/acme-app/resources/x", "api/plugin-proxy/acme-app/x", "api/datasources/proxy/uid/x/y"), "/")
	detour := h.pick("", ".", "..", "%2e", "%2e%2e", "%2E.", "%252e%252e", "..;", ".%00", "%2f", "%5c..", "public/..", "metrics/..", "api/health/..", "x/../..", "public/plugins/../..", "\\..")
	at := h.IntN(len(segments) + 1)
	segments = append(segments[:at:at], append([]string{detour}, segments[at:]...)...)
	path := h.pick("/", "//", "/./", "/../", "/metrics/../", "/public//", "/%2f/") + strings.Join(segments, h.pick("/", "/", "//")) + h.pick("", "/", "//", "/.", "/..", "?x=/../", ";x")
	method := h.pick("GET", "POST", "DELETE", "OPTIONS", "CONNECT", "HEAD", "PROPFIND")
	if h.IntN(20) == 0 {
		return h.request(h.pick("OPTIONS * HTTP/1.1", "GET * HTTP/1.1", "CONNECT localhost:80 HTTP/1.1", "GET //evil.example/.. HTTP/1.1", "GET http://localhost/api//user HTTP/1.1"), "localhost")
	}
	return h.request(method+" "+path+" HTTP/1.1", "localhost")
}

// header claims to be somebody without proof.
func (h hostile) header() string {
	at := h.IntN(len(h.token))
	flipped := h.token[:at] + string(h.token[at]^1) + h.token[at+1:]
	known := "Basic " + h.known
	claim := h.pick("X-Forwarded-User: admin", "X-Webauth-User: admin", "X-Remote-User: admin", "Remote-User: admin", "X-Grafana-User: admin", "X-User: admin", "X-DS-Authorization: "+known,
		"Proxy-Authorization: "+known, "X-Authorization: "+known, "Cookie: Authorization="+h.known, "Cookie: session="+h.token, "X-JWT-Assertion: "+h.token, "X-Id-Token: "+h.token,
		"Authorization: "+h.known, "Authorization:"+h.token, "Authorization: Digest username=admin", "Authorization: Negotiate "+h.known, "Authorization: Bearer "+h.known,
		"Authorization: Basic "+h.token, "Authorization: Bearer "+flipped, "Authorization: Bearer "+h.token[:at], "Authorization: Bearer "+h.token+h.word(),
		"Authorization: Bearer "+h.token[:at]+" "+h.token[at:], "Authorization: Bearer "+strings.ToUpper(h.token), "Authorization: Basic "+h.known[1:],
		"Authorization: Bearer x\r\nAuthorization: "+known, "Authorization: \r\nAuthorization: "+known, "Authorization: Basic\x00"+h.known, "Authorization\t: "+known, "Authorization : "+known,
		" Authorization: "+known, "Authorization: Bearer "+strings.Repeat("x", h.IntN(1<<16)))
	extra := h.pick("", "X-HTTP-Method-Override: GET\r\n", "X-Original-URL: /api/health\r\n", "X-Rewrite-URL: /metrics\r\n", "X-Forwarded-For: 127.0.0.1\r\n", "Transfer-Encoding: chunked, identity\r\n")
	return h.request("GET "+h.pick("/api/user", "/api/playlists", "/api/auth/keys", "/api/serviceaccounts/search")+" HTTP/1.1", "localhost", claim+"\r\n", extra)
}

// login guesses.
func (h hostile) login() string {
	encode := base64.StdEncoding.EncodeToString
	guess := h.pick("admin", "admin:", ":", ":admin", "\x00admin:"+adminPassword, "admin\x00:"+adminPassword, "Admin:"+adminPassword, "admin :"+adminPassword,
		"admin:"+adminPassword+" ", "admin:"+adminPassword+"\x00", "admin:"+strings.ToUpper(adminPassword), "admin:"+adminPassword[:h.IntN(len(adminPassword))],
		"admin:"+h.word(), "admin:"+adminPassword+h.word(), "admin:%", "admin:' OR 1=1 --", "\xff:"+adminPassword, "admin:"+strings.Repeat("x", h.IntN(4096)), "*:"+adminPassword)
	return h.request("GET /api/user HTTP/1.1", "localhost", h.pick("Authorization: Basic ", "authorization: basic ", "AUTHORIZATION: BASIC ")+encode([]byte(guess))+"\r\n")
}

// TestHostileRequests sends 1,000 requests that must not be accepted, all from the
// address of an administrator who is logged in and must not be locked out.
func TestHostileRequests(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	f.log.discard()
	server := httptest.NewUnstartedServer(f)
	server.Config.DisableGeneralOptionsHandler = true // as in package server
	server.Start()
	t.Cleanup(server.Close)
	address := server.Listener.Addr().String()
	h := hostile{rand.New(rand.NewPCG(15, 9)), base64.StdEncoding.EncodeToString([]byte("admin:" + adminPassword)), strings.TrimPrefix(f.editor, "Bearer ")}
	known := h.request("GET /api/user HTTP/1.1", "localhost", "Authorization: Bearer "+h.token+"\r\n")
	playlist := func(headers ...string) string {
		body := `{"name":"kept","interval":"5m"}`
		return h.request("POST /api/playlists HTTP/1.1", "localhost", append(headers, "Authorization: Bearer "+h.token+"\r\n", "Content-Type: application/json\r\n",
			fmt.Sprintf("Content-Length: %d\r\n", len(body)))...) + body
	}
	if status, _ := exchange(t, address, known); status != 200 {
		t.Fatalf("the token of the editor: %d", status)
	}
	kinds := []struct {
		name    string
		request func() string
	}{{"host", h.host}, {"origin", h.origin}, {"path", h.path}, {"header", h.header}, {"login", h.login}}
	sent, statuses := map[string]bool{}, map[string]map[int]int{}
	const total = 1000
	for n := range total {
		kind := kinds[n%len(kinds)]
		text := kind.request()
		sent[text] = true
		status, location := exchange(t, address, text)
		if statuses[kind.name] == nil {
			statuses[kind.name] = map[int]int{}
		}
		statuses[kind.name][status]++
		if status != 0 && (status < 400 || status >= 500 && status != 501 && status != 505) || location != "" {
			t.Errorf("%s: %d, Location %q for %.300q", kind.name, status, location, text)
		}
		if kind.name == "origin" && status != 403 {
			t.Errorf("origin: %d for %.300q", status, text)
		}
		if n%10 == 9 {
			if status, _ := exchange(t, address, known); status != 200 {
				t.Fatalf("after %d requests, the token of the editor: %d", n+1, status)
			}
		}
	}
	if got := f.do("GET", "/api/playlists", f.viewer, ""); got.body != "[]" {
		t.Errorf("playlists: %s", got.body)
	}
	for _, header := range []string{"", "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n", "Origin: http://localhost\r\n"} {
		if status, _ := exchange(t, address, playlist(header)); status != 200 {
			t.Errorf("a change of the editor with %q: %d", header, status)
		}
	}
	if len(sent) < total*8/10 {
		t.Errorf("only %d of %d requests differ", len(sent), total)
	}
	t.Logf("%d requests, %d of them different: %v", total, len(sent), statuses)
}

// TestSecondLength sends a body with two lengths. A proxy that used the other one took what
// follows for a part of the body, so it must not be served.
func TestSecondLength(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newFixture(t).API)
	t.Cleanup(server.Close)
	const second = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	for _, header := range []string{"", "Content-Length: 72\r\n"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := io.WriteString(conn, "POST /api/none HTTP/1.1\r\nHost: localhost\r\n"+header+"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+second); err != nil {
			t.Fatal(err)
		}
		answers, err := io.ReadAll(conn)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(answers), "HTTP/1.1 "); got != 1 {
			t.Errorf("%q: %d responses, want 1:\n%s", header, got, answers)
		}
	}
}
