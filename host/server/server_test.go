package server

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// output collects the log of a server, which may still write when the test reads.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func testOptions(t *testing.T) Options {
	return Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Database: filepath.Join(t.TempDir(), "slipway.db"), AdminPassword: "a long password"}
}

// open returns a host that is closed when the test ends.
func open(t *testing.T, o Options) *Server {
	t.Helper()
	s := testkit.Must(Open(t.Context(), o))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestOneHostPerDatabase(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	first := open(t, o)
	_, err := Open(t.Context(), o)
	if e, ok := errors.AsType[*InUseError](err); !ok || e.File != filepath.Join(o.DataDir, "instance") {
		t.Errorf("second host: %v", err)
	}
	testkit.OK(t, first.Close())
	open(t, o)
}

// The keys of a host in a plugin repository must not be committed, even if the repository ignores nothing.
func TestGitIgnoresData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q")
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "plugin.json"), []byte("{}"), 0o600))
	for _, places := range [][2]string{{".slipway/data", ""}, {"data", "db/slipway.db"}, {".", ""}} {
		o := testOptions(t)
		o.DataDir, o.Database = filepath.Join(dir, places[0]), ""
		if places[1] != "" {
			o.Database = filepath.Join(dir, places[1])
		}
		testkit.OK(t, open(t, o).Close())
		if _, err := os.Stat(filepath.Join(o.DataDir, "secret.key")); err != nil {
			t.Error(err)
		}
	}
	if got, want := testkit.Git(t, dir, "status", "--porcelain", "--untracked-files=all"), "?? .gitignore\n?? plugin.json\n"; got != want {
		t.Errorf("Git sees\n%swant\n%s", got, want)
	}
}

// A password is generated only when nothing else can fail, because it is shown only
// once.
func TestPasswordIsNotLost(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.AdminPassword, o.Listen = "", "256.0.0.1:0"
	_, err := Open(t.Context(), o)
	if e, ok := errors.AsType[*ListenError](err); !ok || e.Address != o.Listen {
		t.Fatalf("listen on 256.0.0.1: %v", err)
	}
	o.Listen = "127.0.0.1:0"
	s := open(t, o)
	if s.AdminPassword() == "" {
		t.Error("the first start generated no password")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if again := open(t, o); again.AdminPassword() != "" {
		t.Errorf("the second start generated the password %s", again.AdminPassword())
	}
}

func TestHealthReportsTheBuild(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.ServiceVersion, o.Commit = "10.4.2", "0123abcd"
	got := testkit.Must(http.Get(open(t, o).URL() + "/api/health"))(t)
	defer got.Body.Close()
	if body, err := io.ReadAll(got.Body); string(body) != `{"database":"ok","version":"10.4.2","commit":"0123abcd"}` || err != nil {
		t.Errorf("health: %s, %v", body, err)
	}
}

// Aborting a stream that does not end by itself is not an error.
func TestCloseCutsStreams(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	o.DrainTimeout = 100 * time.Millisecond
	s := open(t, o)
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	got := testkit.Must(http.Get(s.URL()))(t)
	defer got.Body.Close()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if !s.HasCut() {
		t.Error("HasCut reports that no request was aborted")
	}
}

// A plugin keeps its token when its permissions change and gets a new one when its
// account was removed.
func TestPluginToken(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st := testkit.Must(store.Open(ctx, store.Options{Database: filepath.Join(t.TempDir(), "slipway.db")}))(t)
	t.Cleanup(func() { _ = st.Close() })
	a := newAccounts(st, slog.New(slog.DiscardHandler), time.Now, "test")
	token := func(actions ...string) string {
		iam := &bundle.IAM{}
		for _, action := range actions {
			iam.Permissions = append(iam.Permissions, bundle.Permission{Action: action})
		}
		return testkit.Must(a.token(ctx, bundle.Plugin{Metadata: &bundle.Metadata{ID: "acme-app", IAM: iam}}))(t)
	}
	allows := func(action string) bool {
		who, err := st.Authenticate(ctx, a.tokens["acme-app"])
		return err == nil && who.Allows(action, "")
	}
	first := token("playlists:read")
	if again := token("playlists:write"); again != first {
		t.Error("the token changed with the permissions")
	}
	if !allows("playlists:write") || allows("playlists:read") {
		t.Error("the permissions were not replaced")
	}
	testkit.OK(t, st.PrunePluginAccounts(ctx, store.MainOrg, "test", nil))
	if fresh := token("playlists:read"); fresh == first || !allows("playlists:read") {
		t.Error("a removed account was not created again")
	}
}

// The key and the name of a host are created once, readable only by their owner.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	key := testkit.Must(secretKey(dir))(t)
	if again, err := secretKey(dir); err != nil || !bytes.Equal(key, again) {
		t.Errorf("second call: key %x, %v, want %x", again, err, key)
	}
	info := testkit.Must(os.Stat(filepath.Join(dir, "secret.key")))(t)
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("mode of secret.key is %o", mode)
	}
	name, err := instanceName(dir)
	if err != nil || !host.IsUID(name) {
		t.Errorf("instance name %q, %v", name, err)
	}
	if again, err := instanceName(dir); err != nil || again != name {
		t.Errorf("second call: instance name %q, %v, want %q", again, err, name)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "secret.key"), []byte("short"), 0o600))
	if _, err := secretKey(dir); err == nil || !strings.Contains(err.Error(), "secret.key") {
		t.Errorf("damaged key: %v", err)
	}
}
