package server

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
)

const leased = "acme-leased-app"

// world is a plugin directory, a database and a clock that several hosts share.
type world struct {
	*testing.T
	dir      string // of plugins
	database string
	past     atomic.Int64 // what the clock was advanced by
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, dir: t.TempDir(), database: filepath.Join(t.TempDir(), "slipway.db")}
	w.writePlugin(`,"iam":{"permissions":[{"action":"playlists:read"}]}`)
	return w
}

func (w *world) clock() time.Time        { return time.Unix(1_700_000_000, w.past.Load()) }
func (w *world) advance(d time.Duration) { w.past.Add(int64(d)) }

func (w *world) writePlugin(extra string) {
	w.Helper()
	writePlugin(w.T, filepath.Join(w.dir, leased), "gpx_x",
		fmt.Sprintf(`{"id":%q,"name":"x","type":"app","backend":true,"executable":"gpx_x","info":{"version":"1.0.0"}%s}`, leased, extra))
}

// writePlugin writes a plugin whose backend is this test executable.
func writePlugin(t *testing.T, dir, executable, metadata string) {
	t.Helper()
	testkit.OK(t, os.MkdirAll(dir, 0o755))
	testkit.OK(t, os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(metadata), 0o644))
	self := testkit.Must(os.Executable())(t)
	if err := os.Symlink(self, filepath.Join(dir, bundle.Host().Executable(executable))); err != nil && !os.IsExist(err) {
		t.Skipf("this system cannot create symbolic links: %v", err)
	}
}

func (w *world) removePlugin() {
	w.Helper()
	testkit.OK(w, os.RemoveAll(filepath.Join(w.dir, leased)))
}

func (w *world) options(dataDir string) Options {
	return Options{Listen: "127.0.0.1:0", DataDir: dataDir, Database: w.database, AdminPassword: "a long password",
		PluginDirs: []string{w.dir}, Toggles: []string{loader.ToggleServiceAccounts}, Clock: w.clock}
}

// start opens a host and waits until its plugins are mounted.
func (w *world) start(o Options) *Server {
	w.Helper()
	s := open(w.T, o)
	s.mounting.Wait()
	return s
}

func (w *world) stop(s *Server) {
	w.Helper()
	testkit.OK(w, s.Close())
}

func (w *world) mount(s *Server) {
	w.Helper()
	testkit.OK(w, s.Mount(w.Context()))
}

// token returns the token of the plugin that runs on a host.
func (w *world) token(s *Server) host.Token {
	w.Helper()
	p, ok := s.loader.Plugin(leased)
	if !ok {
		w.Fatalf("the plugin is not mounted: %+v", s.loader.Faults())
	}
	if status := p.Status(); status.State != loader.StateRunning || !status.Token.Injected {
		w.Fatalf("the plugin does not run with a token: %+v", status)
	}
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	return s.accounts.tokens[leased]
}

// check compares the status of a request with the token, and logs it.
func (w *world) check(step string, s *Server, token host.Token, want int) {
	w.Helper()
	r := testkit.Must(http.NewRequestWithContext(w.Context(), http.MethodGet, s.URL()+"/api/playlists", nil))(w)
	r.Header.Set("Authorization", "Bearer "+token.Secret())
	got := testkit.Must(http.DefaultClient.Do(r))(w)
	_ = got.Body.Close()
	w.Logf("%-60s %d", step, got.StatusCode)
	if got.StatusCode != want {
		w.Errorf("%s: status %d, want %d", step, got.StatusCode, want)
	}
}

// accounts returns the number of service accounts.
func (w *world) accounts(s *Server) int64 {
	w.Helper()
	_, n, err := s.store.ServiceAccounts(w.Context(), store.MainOrg, store.AccountFilter{})
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// A plugin's token is revoked once the plugin is no longer entitled to it, whether the host
// is running at that moment or not.
func TestTokenLife(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(w *world, o *Options)
		isLive bool // can happen while the host runs
	}{
		{"directory removed", func(w *world, _ *Options) { w.removePlugin() }, true},
		{"iam removed", func(w *world, _ *Options) { w.writePlugin("") }, true},
		{"iam removed, and the new build does not start", func(w *world, _ *Options) { w.writePlugin(`,"executable":"gpx_missing"`) }, true},
		{"toggle off", func(_ *world, o *Options) { o.Toggles = nil }, false},
		{"version lowered", func(_ *world, o *Options) { o.ServiceVersion = "10.2.9" }, false},
	} {
		if c.isLive {
			t.Run(c.name+" while the host runs", func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				o := w.options(t.TempDir())
				s := w.start(o)
				token := w.token(s)
				w.check("the plugin runs", s, token, 200)
				w.mount(s)
				w.check("mounted again without a change", s, token, 200)
				c.change(w, &o)
				w.mount(s)
				w.check(c.name, s, token, 401)
				if n := w.accounts(s); n != 0 {
					t.Errorf("%d service accounts are left", n)
				}
				if p, ok := s.loader.Plugin(leased); ok && p.Status().Token.Injected {
					return // the previous process keeps serving, without access, until it is replaced
				}
				w.writePlugin(`,"iam":{"permissions":[{"action":"playlists:read"}]}`)
				w.mount(s)
				w.check("the plugin is back: its new token", s, w.token(s), 200)
				w.check("the plugin is back: its old token", s, token, 401)
			})
		}
		for _, isKilled := range []bool{false, true} {
			name := c.name + " while the host is stopped"
			if isKilled {
				name += " (killed)"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				o := w.options(t.TempDir())
				s := w.start(o)
				token := w.token(s)
				w.check("the plugin runs", s, token, 200)
				if isKilled {
					s.accounts.instance = "no token has this name" // so that Close revokes nothing
				}
				w.stop(s)
				c.change(w, &o)
				s = w.start(o)
				w.check(c.name+", then started again", s, token, 401)
				if n := w.accounts(s); n != 0 {
					t.Errorf("%d service accounts are left", n)
				}
			})
		}
	}
}

// A running host renews its tokens, and those of a host that is gone expire.
func TestTokenRenewal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.start(w.options(t.TempDir()))
	token := w.token(s)
	dev := testkit.Must(s.Provision(t.Context(), "dev"))(t)
	renew := func() {
		t.Helper()
		testkit.OK(t, s.accounts.renew(t.Context(), s.loader))
	}
	for range 3 * host.LeaseLifetime / host.LeaseRenewal {
		w.advance(host.LeaseRenewal)
		renew()
	}
	w.check("three days later, renewed every hour", s, token, 200)
	w.check("three days later, token of dev", s, dev, 200)
	w.advance(host.LeaseLifetime)
	w.check("the machine slept for a day", s, token, 401)
	renew()
	w.check("it woke up", s, token, 200)
	w.check("it woke up, token of dev", s, dev, 200)
	w.advance(host.LeaseRenewal - time.Second)
	renew() // not due
	w.advance(host.LeaseLifetime - host.LeaseRenewal)
	w.check("less than a day without renewal", s, token, 200)
	w.advance(time.Second)
	w.check("a day without renewal", s, token, 401)
	w.check("a day without renewal, token of dev", s, dev, 401)
	testkit.OK(t, s.accounts.prune(t.Context(), s.loader))
	renew()
	w.check("renewed after the plugins were mounted", s, token, 200)
}

// A permission that cannot be granted is an error of the plugin, which no retry fixes.
func TestInvalidPermission(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.writePlugin(`,"iam":{"permissions":[{"action":"*"}]}`)
	s := w.start(w.options(t.TempDir()))
	p, ok := s.loader.Plugin(leased)
	if !ok || p.Status().State != loader.StateFailed || !strings.Contains(p.Status().Reason, "iam.permissions.action") {
		t.Errorf("state of the plugin: %+v", p.Status())
	}
}
