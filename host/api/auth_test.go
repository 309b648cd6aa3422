package api_test

import (
	"encoding/base64"
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
	stranger, err := host.NewToken(host.ServiceAccountToken, strings.NewReader(strings.Repeat("s", 32)))
	if err != nil {
		t.Fatal(err)
	}
	const wrongKey, wrongLogin = "invalid API key", "invalid username or password"
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
		{"an unknown token", "Bearer " + stranger.Secret(), 401, wrongKey},
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

// Concurrent requests with the correct password are not taken for guesses.
func TestConcurrentLogins(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 20 {
				if got := f.do("GET", "/api/user", basic("admin", adminPassword), ""); got.status != 200 {
					t.Errorf("%+v", got)
				}
			}
		})
	}
	wg.Wait()
	if _, err := f.store.EnsureAdmin(t.Context(), "changed"); err != nil {
		t.Fatal(err)
	}
	if got := f.do("GET", "/api/user", basic("admin", adminPassword), ""); got.status != 401 {
		t.Errorf("login with the old password: %+v", got)
	}
}

func TestThrottle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	try := func(login, password, address string) reply {
		r := httptest.NewRequest("GET", "/api/user", nil)
		r.RemoteAddr = address + ":1234"
		return f.send(r, basic(login, password))
	}
	for n := range 10 {
		if got := try("admin", "guess", "10.0.0.1"); got.status != 401 {
			t.Fatalf("attempt %d: %+v", n, got)
		}
	}
	got := try("admin", adminPassword, "10.0.0.1")
	if got.status != 429 || got.header.Get("Retry-After") != "301" || !strings.Contains(got.message(), "try again in") {
		t.Errorf("after ten failures: %+v", got)
	}
	if got := try("admin", adminPassword, "10.0.0.2"); got.status != 200 {
		t.Errorf("login from another address: %+v", got)
	}
	if got := try("other", "x", "10.0.0.1"); got.status != 401 {
		t.Errorf("login of another user: %+v", got)
	}
	f.advance(5 * time.Minute)
	if got := try("admin", adminPassword, "10.0.0.1"); got.status != 200 {
		t.Errorf("five minutes later: %+v", got)
	}
	if got := try("admin", "guess", "10.0.0.1"); got.status != 401 {
		t.Errorf("failure after the wait: %+v", got)
	}
}

// Concurrent guesses are counted like sequential ones.
func TestThrottleCountsParallelGuesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.ensureAdmin(t)
	var wg sync.WaitGroup
	var refused, throttled atomic.Int32
	for range 30 {
		wg.Go(func() {
			switch got := f.do("GET", "/api/user", basic("admin", "guess"), ""); got.status {
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
	if refused.Load() != 10 || throttled.Load() != 20 {
		t.Errorf("%d of 30 guesses were checked and %d throttled, want 10 and 20", refused.Load(), throttled.Load())
	}
}
