package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// signIn sends credentials and returns the cookie, or nil.
func (f *fixture) signIn(r *http.Request) (*http.Cookie, reply) {
	f.t.Helper()
	r.Header.Set("Content-Type", "application/json")
	got := f.send(r, "")
	response := http.Response{Header: got.header}
	for _, c := range response.Cookies() {
		return c, got
	}
	return nil, got
}

func postSession(body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3000/api/session", strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1234"
	return r
}

// withCookie sends a request with a session.
func (f *fixture) withCookie(method, path string, c *http.Cookie) reply {
	r := httptest.NewRequest(method, "http://127.0.0.1:3000"+path, nil)
	r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	return f.send(r, "")
}

func (f *fixture) code(t *testing.T) string {
	t.Helper()
	code := f.SignInCode()
	return fmt.Sprintf(`{"code":%q}`, code)
}

// A code signs in once, from this machine, within five minutes.
func TestSignInCode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	code := f.code(t)
	for _, remote := range []string{"192.0.2.1:1", "[2001:db8::1]:1", "", "@"} {
		r := postSession(code)
		r.RemoteAddr = remote
		if c, got := f.signIn(r); got.status != 401 || c != nil {
			t.Errorf("from %q: %+v", remote, got)
		}
	}
	cookie, got := f.signIn(postSession(code))
	if got.status != 200 || cookie == nil {
		t.Fatalf("sign in: %+v", got)
	}
	if c, got := f.signIn(postSession(code)); got.status != 401 || c != nil || !strings.Contains(got.message(), "has been used") {
		t.Errorf("the code again: %+v", got)
	}
	late := f.code(t)
	f.advance(5 * time.Minute)
	if _, got := f.signIn(postSession(late)); got.status != 401 {
		t.Errorf("after five minutes: %+v", got)
	}
	for _, wrong := range []string{`{"code":"x"}`, `{"code":"` + cookie.Value + `"}`, `{}`, `{"user":"admin"}`} {
		if c, got := f.signIn(postSession(wrong)); got.status != 401 || c != nil {
			t.Errorf("%s: %+v", wrong, got)
		}
	}
	if strings.Contains(f.log.String(), cookie.Value) || strings.Contains(f.log.String(), "svcses_") {
		t.Error("the log contains a secret")
	}
}

// The cookie is for this host alone, is not readable by scripts, and is secure under TLS.
func TestSessionCookie(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	plain, _ := f.signIn(postSession(f.code(t)))
	r := httptest.NewRequest(http.MethodPost, "https://127.0.0.1:3000/api/session", strings.NewReader(f.code(t)))
	r.RemoteAddr = "[::1]:1"
	secure, got := f.signIn(r)
	if plain == nil || secure == nil {
		t.Fatalf("sign in: %+v", got)
	}
	for _, c := range []*http.Cookie{plain, secure} {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.Expires.IsZero() {
			t.Errorf("cookie %+v", c)
		}
	}
	if plain.Name != "slipway_session_3000" || plain.Secure || secure.Name != "__Host-slipway_session_3000" || !secure.Secure {
		t.Errorf("cookies %v and %v", plain, secure)
	}
}

// Signing in creates a new token and ends the previous session, even that of another user.
func TestSessionFixation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	given := &http.Cookie{Name: "slipway_session_3000", Value: "svcses_chosen"}
	r := postSession(f.code(t))
	r.AddCookie(given)
	first, _ := f.signIn(r)
	if first == nil || first.Value == given.Value {
		t.Fatalf("the cookie %v was kept", first)
	}
	r = postSession(f.code(t))
	r.AddCookie(&http.Cookie{Name: first.Name, Value: first.Value})
	second, _ := f.signIn(r)
	if second == nil || second.Value == first.Value {
		t.Fatalf("cookies %v and %v", first, second)
	}
	if got := f.withCookie("GET", "/api/user", first); got.status != 401 {
		t.Errorf("the session before: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", second); got.status != 200 || !strings.Contains(got.body, `"admin"`) {
		t.Errorf("the new session: %+v", got)
	}
}

// Sessions are listed and ended by their user. What ended does not work.
func TestSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	one, _ := f.signIn(postSession(fmt.Sprintf(`{"user":"admin","password":%q}`, adminPassword)))
	two, _ := f.signIn(postSession(f.code(t)))
	three, _ := f.signIn(postSession(f.code(t)))
	if one == nil || two == nil || three == nil {
		t.Fatal("no session")
	}
	list := f.withCookie("GET", "/api/sessions", one)
	if strings.Count(list.body, `"id"`) != 3 || strings.Contains(list.body, "svcses_") {
		t.Errorf("list: %+v", list)
	}
	if got := f.do("GET", "/api/sessions", f.admin, ""); got.body != "[]" && got.body != "[]\n" {
		t.Errorf("the sessions of a service account: %+v", got)
	}
	f.check(t, "a service account ends a session", 404, "DELETE", "/api/sessions/2", f.admin, "")
	if got := f.withCookie("DELETE", "/api/sessions/2", one); got.status != 200 {
		t.Errorf("end: %+v", got)
	}
	if got := f.withCookie("DELETE", "/api/sessions/2", one); got.status != 404 {
		t.Errorf("end again: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", two); got.status != 401 {
		t.Errorf("the ended session: %+v", got)
	}
	if got := f.withCookie("DELETE", "/api/session", three); got.status != 200 || !strings.Contains(got.header.Get("Set-Cookie"), "1970") {
		t.Errorf("sign out: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", three); got.status != 401 {
		t.Errorf("signed out: %+v", got)
	}
	// Without a request, a session ends after a day, and with requests after 30.
	f.advance(host.SessionIdle - time.Minute)
	for range 29 {
		if got := f.withCookie("GET", "/api/user", one); got.status != 200 {
			t.Fatalf("a session in use: %+v", got)
		}
		f.advance(host.SessionIdle - time.Minute)
	}
	f.advance(host.SessionIdle)
	if got := f.withCookie("GET", "/api/user", one); got.status != 401 {
		t.Errorf("after 30 days: %+v", got)
	}
	idle, _ := f.signIn(postSession(f.code(t)))
	f.advance(host.SessionIdle)
	if got := f.withCookie("GET", "/api/user", idle); got.status != 401 {
		t.Errorf("after a day without a request: %+v", got)
	}
}

// signedIn returns a fixture and the cookie of a session of its administrator.
func signedIn(t *testing.T) (*fixture, *http.Cookie) {
	t.Helper()
	f := newFixture(t)
	f.ensureAdmin(t)
	cookie, _ := f.signIn(postSession(f.code(t)))
	if cookie == nil {
		t.Fatal("no session")
	}
	return f, cookie
}

// A session is not a token and a token is not a session.
func TestSessionsAreNotTokens(t *testing.T) {
	t.Parallel()
	f, cookie := signedIn(t)
	f.check(t, "the session as a token", 401, "GET", "/api/user", "Bearer "+cookie.Value, "")
	if got := f.withCookie("GET", "/api/user", &http.Cookie{Name: cookie.Name, Value: strings.TrimPrefix(f.admin, "Bearer ")}); got.status != 401 {
		t.Errorf("a token as a session: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", &http.Cookie{Name: "slipway_session_4000", Value: cookie.Value}); got.status != 401 {
		t.Errorf("the cookie of another port: %+v", got)
	}
}

// A page of another origin cannot sign in, sign out, or change anything with a session.
func TestSessionsFromElsewhere(t *testing.T) {
	t.Parallel()
	f, cookie := signedIn(t)
	for _, header := range []http.Header{
		{"Origin": {"https://evil.example"}}, {"Origin": {"http://127.0.0.1:3001"}}, {"Origin": {"null"}}, {"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}},
	} {
		login := postSession(f.code(t))
		for name := range header {
			login.Header.Set(name, header.Get(name))
		}
		if c, got := f.signIn(login); got.status != 403 || c != nil {
			t.Errorf("sign in with %v: %+v", header, got)
		}
		for _, target := range []string{"DELETE /api/session", "DELETE /api/sessions/1", "POST /api/folders"} {
			method, path, _ := strings.Cut(target, " ")
			r := httptest.NewRequest(method, "http://127.0.0.1:3000"+path, strings.NewReader("{}"))
			r.Header = header.Clone()
			r.Header.Set("Content-Type", "application/json")
			r.AddCookie(&http.Cookie{Name: cookie.Name, Value: cookie.Value})
			if got := f.send(r, ""); got.status != 403 {
				t.Errorf("%s with %v: %+v", target, header, got)
			}
		}
	}
	form := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:3000/api/session", strings.NewReader(f.code(t)))
	form.RemoteAddr = "127.0.0.1:1"
	form.Header.Set("Content-Type", "text/plain")
	if got := f.send(form, ""); got.status < 400 {
		t.Errorf("sign in with a form: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", cookie); got.status != 200 {
		t.Errorf("the session afterward: %+v", got)
	}
}

// Failed logins are remembered, so they are short.
func TestSignInBounds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	for _, body := range []string{
		`{"user":"` + strings.Repeat("x", 2000) + `","password":"x"}`, `{"user":"admin","password":"` + strings.Repeat("x", 2000) + `"}`, `{"user":"a\u0000","password":"x"}`,
	} {
		if _, got := f.signIn(postSession(body)); got.status != 401 {
			t.Errorf("%.40s: %+v", body, got)
		}
	}
}

// A request with a token and a cookie ends the session of the cookie.
func TestSignOutWithToken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	c, got := f.signIn(postSession(f.code(t)))
	if c == nil {
		t.Fatalf("sign in: %+v", got)
	}
	r := httptest.NewRequest(http.MethodDelete, "http://127.0.0.1:3000/api/session", nil)
	r.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	if got := f.send(r, f.viewer); got.status != 200 {
		t.Errorf("sign out: %+v", got)
	}
	if got := f.withCookie("GET", "/api/user", c); got.status != 401 {
		t.Errorf("after signing out: %+v", got)
	}
}
