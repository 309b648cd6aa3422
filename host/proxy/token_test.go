package proxy_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// provider is a token service that responds with reply.
type provider struct {
	*httptest.Server
	fetches atomic.Int32
	reply   func(w http.ResponseWriter, r *http.Request, n int32)
}

func newProvider(t *testing.T, reply func(w http.ResponseWriter, r *http.Request, n int32)) *provider {
	t.Helper()
	p := &provider{reply: reply}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := p.fetches.Add(1)
		_ = r.ParseForm()
		p.reply(w, r, n)
	}))
	t.Cleanup(p.Close)
	return p
}

// hour responds with a numbered token that lives for an hour.
func hour(w http.ResponseWriter, _ *http.Request, n int32) {
	fmt.Fprintf(w, `{"access_token":"token-%d","expires_in":3600}`, n)
}

// clock is a clock that tests advance.
type clock struct{ past atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(1_800_000_000, c.past.Load()) }
func (c *clock) advance(d time.Duration) { c.past.Add(int64(d)) }

// withToken returns a target whose routes t and u use tokens from p.
func withToken(p *provider) func(string) proxy.Target {
	return func(service string) proxy.Target {
		to := target(service)
		auth := &bundle.TokenAuth{URL: p.URL + "/{{ .JsonData.tenant }}/token", Scopes: []string{"read", "write"}, Params: map[string]string{
			"grant_type": "client_credentials", "client_id": "me", "client_secret": "{{ .SecureJsonData.key }}", "resource": "r"}}
		to.Routes = []bundle.Route{{Path: "t", URL: service, TokenAuth: auth}, {Path: "u", URL: service, TokenAuth: auth}}
		return to
	}
}

// get returns the status of a request and the token that the service received.
func (f *fixture) get(t *testing.T, path string) (int, string) {
	t.Helper()
	code, _, _ := f.raw(t, request("GET", path, "viewer"))
	if got := f.take(); len(got) == 1 {
		return code, got[0].header.Get("Authorization")
	}
	return code, ""
}

func TestTokenAuth(t *testing.T) {
	t.Parallel()
	var form string
	var c clock
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request, n int32) {
		form = r.Method + " " + r.RequestURI + " " + r.PostForm.Encode()
		hour(w, r, n)
	})
	f := newFixture(t, proxy.Options{Clock: c.now}, withToken(p))
	for range 3 {
		if code, token := f.get(t, "t/x"); code != 200 || token != "Bearer token-1" {
			t.Errorf("%d %s", code, token)
		}
	}
	if want := "POST /t%201/token client_id=me&client_secret=s3cret&grant_type=client_credentials&resource=r&scope=read+write"; form != want {
		t.Errorf("sent %s", form)
	}
	if _, token := f.get(t, "u/x"); token != "Bearer token-2" {
		t.Errorf("token of another route: %s", token)
	}
	f.target.Secrets = map[string]string{"key": "changed"}
	if _, token := f.get(t, "t/x"); token != "Bearer token-3" {
		t.Errorf("token after a change of the settings: %s", token)
	}
	f.target.Scope = "datasources:uid:b"
	if _, token := f.get(t, "t/x"); token != "Bearer token-4" {
		t.Errorf("token of another data source: %s", token)
	}
	c.advance(2 * time.Hour)
	if _, token := f.get(t, "t/x"); token != "Bearer token-5" {
		t.Errorf("token after the first one expired: %s", token)
	}
}

func TestTokenRefused(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]func(w http.ResponseWriter, r *http.Request){
		"status": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":"invalid_client","access_token":"x"}`)
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"no JSON":    func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
		"no token":   func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) },
		"line break": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"access_token":"a\r\nX-Evil: 1"}`) },
		"huge": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"access_token":"%s"}`, strings.Repeat("x", 2<<20))
		},
		"cut": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			fmt.Fprint(w, `{"access`)
		},
		"token number": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"access_token":1}`) },
	} {
		var c clock
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request, _ int32) { reply(w, r) })
		f := newFixture(t, proxy.Options{Clock: c.now}, withToken(p))
		for n := range int32(2) {
			for range 3 { // a wrong secret is not tried again immediately
				code, _, text := f.raw(t, request("GET", "t", "viewer"))
				if got := f.take(); code != 502 || len(got) > 0 || strings.Contains(text, "s3cret") || p.fetches.Load() != n+1 {
					t.Errorf("%s: %d %s, reached %v after %d fetches", name, code, text, got, p.fetches.Load())
				}
			}
			c.advance(5 * time.Second)
		}
	}
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	for life, want := range map[string]int32{`"3599"`: 1, `3600.5`: 1, `1e300`: 1, `0`: 2, `-5`: 2, `20`: 2, `null`: 1} {
		var c clock
		p := newProvider(t, func(w http.ResponseWriter, _ *http.Request, _ int32) {
			fmt.Fprintf(w, `{"access_token":"x","expires_in":%s}`, life)
		})
		f := newFixture(t, proxy.Options{Clock: c.now}, withToken(p))
		for range 2 {
			if code, token := f.get(t, "t"); code != 200 || token != "Bearer x" {
				t.Errorf("%s: %d %s", life, code, token)
			}
			c.advance(25 * time.Second)
		}
		if n := p.fetches.Load(); n != want {
			t.Errorf("%s: %d fetches, want %d", life, n, want)
		}
	}
}

func TestJWTTokenAuth(t *testing.T) {
	t.Parallel()
	key := testkit.Must(rsa.GenerateKey(rand.Reader, 2048))(t)
	pkcs8 := testkit.Must(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, block := range map[string]*pem.Block{
		"PKCS 8": {Type: "PRIVATE KEY", Bytes: pkcs8},
		"PKCS 1": {Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)},
	} {
		var c clock
		var audience string
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request, n int32) {
			if err := checkJWT(r, &key.PublicKey, c.now().Unix(), audience); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			hour(w, r, n)
		})
		audience = p.URL + "/token"
		f := newFixture(t, proxy.Options{Clock: c.now}, func(service string) proxy.Target {
			to := target(service)
			to.Secrets = map[string]string{"pem": strings.ReplaceAll(string(pem.EncodeToMemory(block)), "\n", `\n`)}
			to.Routes = []bundle.Route{{Path: "j", URL: service, JWTTokenAuth: &bundle.TokenAuth{Scopes: []string{"a", "b"}, Params: map[string]string{
				"client_email": "me@example.com", "private_key": "{{ .SecureJsonData.pem }}", "token_uri": p.URL + "/token"}}}}
			return to
		})
		for range 2 {
			if code, token := f.get(t, "j"); code != 200 || token != "Bearer token-1" {
				t.Errorf("%s: %d %s", name, code, token)
			}
		}
	}
}

func checkJWT(r *http.Request, key *rsa.PublicKey, now int64, audience string) error {
	parts := strings.Split(r.PostForm.Get("assertion"), ".")
	if len(parts) != 3 || r.PostForm.Get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" || len(r.PostForm) != 2 {
		return fmt.Errorf("the form is %v", r.PostForm)
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature); err != nil {
		return err
	}
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return err
	}
	var claims struct {
		Iss, Aud, Scope string
		Iat, Exp        int64
	}
	if err := json.Unmarshal(body, &claims); err != nil {
		return err
	}
	if claims.Iss != "me@example.com" || claims.Aud != audience || claims.Scope != "a b" || claims.Iat > now || claims.Exp != now+3600 {
		return fmt.Errorf("claims %s", body)
	}
	return nil
}

// Concurrent requests without a cached token share one fetch, after that of a request that
// is canceled.
func TestOneFetch(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request, n int32) {
		<-release
		hour(w, r, n)
	})
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	}))
	defer service.Close()
	forwarder := proxy.New(proxy.Options{ReadBody: readBody})
	defer forwarder.Close()
	to := withToken(p)(service.URL)
	ask := func(ctx context.Context) (string, error) {
		w := httptest.NewRecorder()
		err := forwarder.Forward(w, httptest.NewRequest("GET", "/", nil).WithContext(ctx), callers()["viewer"], "t/x", to)
		return w.Body.String(), err
	}
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := ask(leaving)
		left <- err
	}()
	for p.fetches.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	var wg sync.WaitGroup
	var asked atomic.Int32
	for range 100 {
		wg.Go(func() {
			asked.Add(1)
			if text, err := ask(t.Context()); err != nil || text != "Bearer token-2" {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
	for asked.Load() < 100 {
		time.Sleep(time.Millisecond)
	}
	leave()
	if err := <-left; err == nil {
		t.Error("the canceled request succeeded")
	}
	close(release)
	wg.Wait()
	if n := p.fetches.Load(); n != 2 {
		t.Errorf("%d fetches, want one that was canceled and one for all others", n)
	}
}
