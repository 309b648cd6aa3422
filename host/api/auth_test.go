package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

func basic(login, password string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(login+":"+password))
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	token := strings.TrimPrefix(f.viewer, "Bearer ")
	stranger := host.NewToken(host.ServiceAccountToken)
	const wrongKey, wrongLogin = "invalid API key: it is incomplete, or not a key of this service", "invalid username or password"
	for _, c := range []struct {
		name, authorization string
		status              int
		message             string
	}{
		{"no credentials", "", 401, "Unauthorized"},
		{"a bearer token", "Bearer " + token, 200, ""},
		{"a scheme in lower case", "bearer  " + token, 200, ""},
		{"no token", "Bearer", 401, wrongKey},
		{"a token with a wrong checksum", "Bearer " + token[:len(token)-1] + "x", 401, wrongKey},
		{"an unknown token", "Bearer " + stranger.Secret(), 401, "invalid API key: this host does not know it; use one that was created here and still exists"},
		{"a huge token", "Bearer " + strings.Repeat("x", 1<<19), 401, wrongKey},
		{"not UTF-8", "Bearer \xff\xfe", 401, wrongKey},
		{"the admin", basic("admin", adminPassword), 200, ""},
		{"a wrong password", basic("admin", "wrong"), 401, wrongLogin},
		{"an unknown login", basic("nobody", adminPassword), 401, wrongLogin},
		{"no password", basic("admin", ""), 401, wrongLogin},
		{"NUL in the login", basic("a\x00b", "x"), 401, wrongLogin},
		{"no colon", "Basic YWRtaW4=", 401, wrongLogin},
		{"not base64", "Basic !!!", 401, wrongLogin},
		{"a huge password", basic("admin", strings.Repeat("x", 1<<19)), 401, wrongLogin},
		{"another scheme", "Digest x", 401, "Unauthorized"},
	} {
		got := f.do("GET", "/api/user", c.authorization, "")
		if got.status != c.status || got.message() != c.message {
			t.Errorf("%s: %+v", c.name, got)
		}
		if (got.header.Get("WWW-Authenticate") != "") != (c.status == 401) {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, got.header.Get("WWW-Authenticate"))
		}
	}
}

// from sends a request from an address.
func (f *fixture) from(address, login, password string) reply {
	r := httptest.NewRequest("GET", "/api/user", nil)
	r.RemoteAddr = address
	return f.send(r, basic(login, password))
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	try := func(login, password, address string) reply { return f.from(address+":1234", login, password) }
	for n := range 10 {
		if got := try("admin", fmt.Sprint("guess", n), "10.0.0.1"); got.status != 401 {
			t.Fatalf("attempt %d: %+v", n, got)
		}
	}
	got := try("admin", adminPassword, "10.0.0.1")
	if got.status != 429 || got.header.Get("Retry-After") != "30" || !strings.Contains(got.message(), "try again in 30 seconds") {
		t.Errorf("after ten failures: %+v", got)
	}
	if got := try("admin", adminPassword, "10.0.0.2"); got.status != 200 {
		t.Errorf("login from another address: %+v", got)
	}
	if got := try("admin", adminPassword, "10.0.0.1"); got.status != 429 {
		t.Errorf("a password that was verified elsewhere: %+v", got)
	}
	if got := try("other", "x", "10.0.0.1"); got.status != 401 {
		t.Errorf("login of another user: %+v", got)
	}
	f.advance(29 * time.Second)
	if got := try("admin", adminPassword, "10.0.0.1"); !strings.HasSuffix(got.message(), "try again in 1 second") {
		t.Errorf("a second before the end of the wait: %+v", got)
	}
	f.advance(time.Second)
	if got := try("admin", "guess", "10.0.0.1"); got.status != 401 {
		t.Errorf("failure after the wait: %+v", got)
	}
	if got := try("admin", adminPassword, "10.0.0.1"); got.status != 429 {
		t.Errorf("after another failure: %+v", got)
	}
	f.advance(5 * time.Minute)
	if got := try("admin", adminPassword, "10.0.0.1"); got.status != 200 {
		t.Errorf("five minutes later: %+v", got)
	}
	for _, part := range []string{`msg="login failed"`, "login=admin", "remote=10.0.0.1:1234", "invalid username or password", "too many failed logins"} {
		if log := f.log.String(); !strings.Contains(log, part) {
			t.Errorf("the log lacks %s", part)
		}
	}
}

// A successful login does not reset the count of failures: after ten, even a known password has
// to wait.
func TestThrottleWithKnownLogin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	const here = "10.0.0.1:1"
	for n := range 40 {
		want := 200
		if n >= 20 {
			want = 429
		}
		password := adminPassword
		if n%2 == 1 {
			password = fmt.Sprint("guess", n)
			want = max(want, 401)
		}
		if got := f.from(here, "admin", password); got.status != want {
			t.Fatalf("login %d: %+v, want %d", n, got, want)
		}
	}
}

// An attacker who has a whole IPv6 network gets as many guesses as one with an address.
func TestThrottleByNetwork(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	for n := range 12 {
		want := 401
		if n >= 10 {
			want = 429
		}
		if got := f.from(fmt.Sprintf("[2001:db8:1:1::%d]:1", n), "admin", fmt.Sprint("guess", n)); got.status != want {
			t.Errorf("attempt %d: %+v", n, got)
		}
	}
	for _, address := range []string{"[2001:db8:1:2::1]:1", "[::ffff:10.0.0.1]:1", "pipe"} {
		if got := f.from(address, "admin", "guess"); got.status != 401 {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

// Concurrent guesses are counted like sequential ones.
func TestThrottleCountsParallelGuesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	var wg sync.WaitGroup
	var refused, throttled atomic.Int32
	for n := range 60 {
		wg.Go(func() {
			switch got := f.do("GET", "/api/user", basic("admin", fmt.Sprint("guess", n)), ""); got.status {
			case 401:
				refused.Add(1)
			case 429:
				throttled.Add(1)
			default:
				t.Errorf("%+v", got)
			}
		})
	}
	wg.Wait()
	if refused.Load() < 1 || refused.Load() > 10 {
		t.Errorf("%d guesses were checked and %d throttled, want at most 10 checked", refused.Load(), throttled.Load())
	}
}

// The log names a failed login without letting it forge or fill lines.
func TestLoginIsLogged(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.from("10.0.0.1:1", "x\nlevel=ERROR msg=\"forged\"\x1b[31m"+strings.Repeat("y", 500), "a secret guess")
	log := f.log.String()
	at := strings.Index(log, `msg="login failed"`)
	if at < 0 {
		t.Fatalf("log: %s", log)
	}
	line, _, _ := strings.Cut(log[at:], "\n")
	if !strings.Contains(line, `login="x\nlevel=ERROR msg=\"forged\"\x1b[31m`) || len(line) > 300 || strings.Contains(log, "secret guess") {
		t.Errorf("log: %s", line)
	}
}
