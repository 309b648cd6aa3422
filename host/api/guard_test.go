package api_test

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
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
	conn := testkit.Must(net.Dial("tcp", address))(t)
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

// TestHostileRequests sends requests that must not be accepted, all from the address of an
// administrator who is logged in and must not be locked out.
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
	request := func(line string, headers ...string) string {
		return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + strings.Join(append(headers, "\r\n"), "\r\n")
	}
	basic := base64.StdEncoding.EncodeToString([]byte("admin:" + adminPassword))
	token := strings.TrimPrefix(f.editor, "Bearer ")
	var hostile []string
	for _, line := range []string{
		"OPTIONS *", "GET *", "CONNECT localhost:80", "GET //evil.example/..", "GET http://evil.example/api/health", "GET /public/../api/user", "GET /api/health/../user",
		"GET /api/%2e%2e/api/user", "GET //api/user", "GET /api/./user", "GET /api%2fuser", "GET /api/user;x", "GET /api/user/%00", "GET /metrics/..%5capi/user", "PROPFIND /api/user",
	} {
		hostile = append(hostile, request(line))
	}
	for _, claim := range []string{
		"X-Forwarded-User: admin", "X-Webauth-User: admin", "Remote-User: admin", "X-Grafana-User: admin", "Proxy-Authorization: Basic " + basic, "Cookie: session=" + token,
		"X-Id-Token: " + token, "Authorization: " + basic, "Authorization: Digest username=admin", "Authorization: Bearer " + basic, "Authorization: Basic " + token,
		"Authorization: Bearer " + token[1:], "Authorization: Bearer " + token + "x", "Authorization: Bearer " + strings.ToUpper(token), "Authorization : Basic " + basic,
		"Authorization: Bearer x\r\nAuthorization: Basic " + basic, " Authorization: Basic " + basic, "Authorization: Bearer " + strings.Repeat("x", 1<<15),
	} {
		hostile = append(hostile, request("GET /api/user", claim), request("GET /api/user", claim, "X-Original-URL: /api/health"))
	}
	for _, guess := range []string{"admin", "admin:", ":", "Admin:x", "\x00admin:" + adminPassword, "admin:" + adminPassword + " ", "admin:' OR 1=1 --", "*:" + adminPassword} {
		hostile = append(hostile, request("GET /api/user", "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(guess))))
	}
	for _, text := range hostile {
		status, location := exchange(t, address, text)
		if status != 0 && (status < 400 || status >= 500 && status != 501) || location != "" {
			t.Errorf("%d, Location %q for %.300q", status, location, text)
		}
		if status, _ := exchange(t, address, request("GET /api/user", "Authorization: Bearer "+token)); status != 200 {
			t.Fatalf("afterward, the token of the editor: %d", status)
		}
	}
	for header, want := range map[string]int{
		"Sec-Fetch-Site: cross-site": 403, "Sec-Fetch-Site: same-site": 403, "sec-fetch-site: CROSS-SITE": 403, "Origin: null": 403, "Origin: http://localhost.evil.example": 403,
		"Origin: http://localhost:81": 403, "Origin: http://localhost@evil.example": 403, "Origin: localhost": 403, "Origin: file://": 403, "Origin: http://127.0.0.1": 403,
		"Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost": 403,
		"Sec-Fetch-Site: same-origin":                            200, "Sec-Fetch-Site: none": 200, "Origin: http://localhost": 200, "X-Other: x": 200,
	} {
		const body = `{"name":"kept","interval":"5m"}`
		text := request("POST /api/playlists", header, "Authorization: Bearer "+token, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))) + body
		if status, _ := exchange(t, address, text); status != want {
			t.Errorf("a change with %q: %d, want %d", header, status, want)
		}
	}
}

// TestSecondLength sends a body with two lengths. A proxy that used the other one took what
// follows for a part of the body, so it must not be served.
func TestSecondLength(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(newFixture(t).API)
	t.Cleanup(server.Close)
	const second = "GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
	for _, header := range []string{"", "Content-Length: 72\r\n"} {
		conn := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
		t.Cleanup(func() { _ = conn.Close() })
		testkit.Must(io.WriteString(conn, "POST /api/none HTTP/1.1\r\nHost: localhost\r\n"+header+"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+second))(t)
		answers := testkit.Must(io.ReadAll(conn))(t)
		if got := strings.Count(string(answers), "HTTP/1.1 "); got != 1 {
			t.Errorf("%q: %d responses, want 1:\n%s", header, got, answers)
		}
	}
}
