package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

const (
	org           = store.MainOrg
	adminPassword = "correct horse"
)

// fixture is an API with a new store and one credential per role.
type fixture struct {
	*api.API
	store *store.Store
	t     testing.TB
	log   *lockedBuffer

	past atomic.Int64 // what the clock was advanced by

	viewer, editor, admin string // values of Authorization
	plugin                string // role None, may read playlists
	pluginDir             string // of the mounted plugin, if there is one
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{t: t, log: &lockedBuffer{}}
	logger := slog.New(slog.NewTextHandler(f.log, nil))
	f.store = testkit.Must(store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "slipway.db"), Clock: f.clock, Logger: logger, Key: make([]byte, host.KeyLength)}))(t)
	t.Cleanup(func() {
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	})
	f.API = testkit.Must(api.New(api.Options{Store: f.store, Logger: logger, Clock: f.clock, Version: "10.4.2", Commit: "0123abcd", AllowedHosts: []string{"example.com"}}))(t)
	t.Cleanup(func() {
		if err := f.API.Close(); err != nil {
			t.Error(err)
		}
	})
	f.viewer, f.editor, f.admin = f.bearer(t, host.RoleViewer), f.bearer(t, host.RoleEditor), f.bearer(t, host.RoleAdmin)
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-app", "test",
		[]host.Grant{{Action: access.PlaylistsRead, Scope: "playlists:*"}}))(t)
	f.plugin = "Bearer " + token.Secret()
	return f
}

func (f *fixture) clock() time.Time        { return time.Unix(1_700_000_000, f.past.Load()) }
func (f *fixture) advance(d time.Duration) { f.past.Add(int64(d)) }

// bearer creates a service account with a role and returns the value of Authorization.
func (f *fixture) bearer(t testing.TB, role host.Role) string {
	t.Helper()
	root := host.Identity{OrgID: org, Role: host.RoleAdmin}
	account := testkit.Must(f.store.CreateServiceAccount(t.Context(), root, host.ServiceAccount{Name: role.String(), Role: role}))(t)
	_, secret, err := f.store.CreateToken(t.Context(), root, account.ID, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	return "Bearer " + secret.Secret()
}

// ensureAdmin creates the user admin, which is slow.
func (f *fixture) ensureAdmin(t *testing.T) {
	t.Helper()
	testkit.Must(f.store.EnsureAdmin(t.Context(), adminPassword))(t)
}

// reply is a response.
type reply struct {
	status int
	header http.Header
	body   string
}

// message returns the message in the body, or "".
func (r reply) message() string {
	var body struct{ Message string }
	_ = json.Unmarshal([]byte(r.body), &body)
	return body.Message
}

func (f *fixture) do(method, target, authorization, body string) reply {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return f.send(r, authorization)
}

func (f *fixture) send(r *http.Request, authorization string) reply {
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	request, _ := io.ReadAll(r.Body) // reads from memory
	r.Body = io.NopCloser(bytes.NewReader(request))
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	got := reply{w.Code, w.Header(), w.Body.String()}
	if err := traffic.check(f.API, r, string(request), got); err != nil {
		f.t.Errorf("%s %s: does not match the OpenAPI document: %v", r.Method, r.URL, err)
	}
	return got
}

// want sends a request, checks the status and decodes the response.
func want[T any](t *testing.T, f *fixture, status int, method, target, authorization, body string) T {
	t.Helper()
	got := f.do(method, target, authorization, body)
	if got.status != status || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s %s: %d (%s) %s, want %d", method, target, got.status, got.header.Get("Content-Type"), got.body, status)
	}
	return decoded[T](t, got.body)
}

// check sends a request and compares the status. what tells what another status would mean.
func (f *fixture) check(t *testing.T, what string, status int, method, target, authorization, body string) {
	t.Helper()
	if got := f.do(method, target, authorization, body); got.status != status {
		t.Errorf("%s: %s %s %.300s: %+v, want %d", what, method, target, body, got, status)
	}
}

func decoded[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

type object = map[string]any

// wantFields compares some fields of a decoded response.
func wantFields(t *testing.T, what string, got, want object) {
	t.Helper()
	some := object{}
	for name := range want {
		some[name] = got[name]
	}
	if diff := cmp.Diff(want, some); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// lockedBuffer is a log for concurrent requests.
type lockedBuffer struct {
	mu    sync.Mutex
	b     bytes.Buffer
	isOff bool
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.isOff {
		return len(p), nil
	}
	return b.b.Write(p)
}

// discard drops what follows, for tests with many requests.
func (b *lockedBuffer) discard() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.isOff = true
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func TestSystem(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		method, target, authorization string
		status                        int
		body                          string
	}{
		{"GET", "/api/health", "", 200, `{"database":"ok","version":"10.4.2","commit":"0123abcd"}`},
		{"GET", "/api/health", "Bearer nonsense", 200, `{"database":"ok","version":"10.4.2","commit":"0123abcd"}`},
		{"GET", "/api/org", f.viewer, 200, `{"id":1,"name":"Main Org.","address":{"address1":"","address2":"","city":"","zipCode":"","state":"","country":""}}`},
		{"GET", "/api/nope", "", 404, `{"message":"Path not found"}`},
		{"GET", "/", "", 404, `{"message":"Path not found"}`},
		{"GET", "/avatar/zz", "", 404, `{"message":"Avatar not found"}`},
	} {
		if got := f.do(c.method, c.target, c.authorization, ""); got.status != c.status || got.body != c.body {
			t.Errorf("%s %s: %d %s", c.method, c.target, got.status, got.body)
		}
	}
	for _, c := range []struct {
		authorization string
		want          object
	}{
		{f.viewer, object{"id": 1.0, "login": "sa-viewer", "name": "Viewer", "orgId": 1.0, "role": "Viewer", "kind": "serviceaccount", "isGrafanaAdmin": false}},
		{f.plugin, object{"id": 4.0, "login": "extsvc-acme-app", "orgId": 1.0, "role": "None", "kind": "serviceaccount"}},
	} {
		wantFields(t, "caller", want[object](t, f, 200, "GET", "/api/user", c.authorization, ""), c.want)
	}
	created := want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"x"}`)
	picture := f.do("GET", created["avatarUrl"].(string), "", "")
	if picture.status != 200 || picture.header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("avatar: %+v", picture)
	}
	testkit.OK(t, f.store.Close())
	if got := f.do("GET", "/api/health", "", ""); got.status != 503 || got.body != `{"database":"failing","version":"10.4.2","commit":"0123abcd"}` {
		t.Errorf("health without a database: %+v", got)
	}
	before := f.log.String()
	left, leave := context.WithCancel(t.Context())
	leave()
	f.send(httptest.NewRequestWithContext(left, "GET", "/api/health", nil), "")
	if now := strings.TrimPrefix(f.log.String(), before); strings.Contains(now, "the database is not usable") {
		t.Errorf("the log blames the database when a client leaves: %s", now)
	}
	got := f.do("GET", "/api/playlists", f.viewer, "")
	if got.status != 500 || !strings.Contains(got.message(), got.header.Get("X-Request-Id")) || strings.Contains(got.body, "sql") {
		t.Errorf("list without a database: %+v", got)
	}
}

func TestRequestIDAndLog(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for sent, kept := range map[string]bool{"abc-1_Z": true, "": false, "a b": false, "x\"y": false, strings.Repeat("a", 41): false} {
		r := httptest.NewRequest("GET", "/api/health", nil)
		r.Header.Set("X-Request-Id", sent)
		if got := f.send(r, "").header.Get("X-Request-Id"); (got == sent) != kept || got == "" {
			t.Errorf("request id %q became %q", sent, got)
		}
	}
	created := want[object](t, f, 200, "POST", "/api/auth/keys?secret=inquery", f.admin, `{"name":"k","role":"Viewer"}`)
	f.do("GET", "/api/playlists", "Bearer "+created["key"].(string), "")
	if log := f.log.String(); strings.Contains(log, "msg=request") {
		t.Errorf("the log has requests that succeeded:\n%s", log)
	}
	want[object](t, f, 403, "POST", "/api/playlists?secret=inquery", "Bearer "+created["key"].(string), `{}`)
	log := f.log.String()
	for _, secret := range []string{created["key"].(string), strings.TrimPrefix(f.admin, "Bearer "), "inquery"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %s:\n%s", secret, log)
		}
	}
	for _, part := range []string{"route=/api/playlists", "status=403", "login=sa-admin", "kind=apikey", "method=POST"} {
		if !strings.Contains(log, part) {
			t.Errorf("the log lacks %s:\n%s", part, log)
		}
	}
}
