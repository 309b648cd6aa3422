package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testdb"
)

// output is what a server prints, also after its test's last look.
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

func testOptions(t *testing.T) hostOptions {
	return hostOptions{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Database: testdb.New(t), AdminPassword: "x", ServiceVersion: defaultServiceVersion}
}

func TestOneHostPerDatabase(t *testing.T) {
	t.Parallel()
	o := testOptions(t)
	first, err := startServer(t.Context(), o, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startServer(t.Context(), o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "another host runs on") {
		t.Errorf("a second host: %v", err)
	}
	if err := first.close(); err != nil {
		t.Fatal(err)
	}
	again, err := startServer(t.Context(), o, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.close(); err != nil {
		t.Error(err)
	}
}

// A generated password is only made when nothing else can stop the start: it is
// shown once.
func TestPasswordIsNotLost(t *testing.T) {
	t.Setenv(envAdminPassword, "")
	o := testOptions(t)
	o.AdminPassword, o.Listen = "", "256.0.0.1:0"
	if _, err := startServer(t.Context(), o, io.Discard, io.Discard); err == nil {
		t.Fatal("listens on 256.0.0.1")
	}
	o.Listen = "127.0.0.1:0"
	var out output
	s, err := startServer(t.Context(), o, &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(out.String(), "admin password: ") || !strings.Contains(out.String(), s.url) {
		t.Errorf("printed %q", out.String())
	}
}

// A stream that does not end by itself is cut; that is no failure of the host.
func TestStopCutsStreams(t *testing.T) {
	t.Parallel()
	var out output
	s, err := startServer(t.Context(), testOptions(t), &out, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	s.drain = 100 * time.Millisecond
	s.http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	got, err := http.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	start := time.Now()
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if !strings.Contains(out.String(), "Ctrl-C again") || !strings.Contains(out.String(), "were cut") {
		t.Errorf("printed %q", out.String())
	}
}

// A plugin keeps its token when it asks for other permissions, gets a new one when
// somebody removed it, and loses it with its account.
func TestPluginToken(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	st, err := store.Open(ctx, store.Options{Database: testdb.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	a := newAccounts(st, "test")
	token := func(actions ...string) string {
		iam := &bundle.IAM{}
		for _, action := range actions {
			iam.Permissions = append(iam.Permissions, bundle.Permission{Action: action})
		}
		token, err := a.token(ctx, bundle.Plugin{Metadata: &bundle.Metadata{ID: "acme-app", IAM: iam}})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	allows := func(action string) bool {
		who, err := st.Authenticate(ctx, a.tokens["acme-app"])
		return err == nil && who.Allows(action, "")
	}
	first := token("playlists:read")
	if again := token("playlists:write"); again != first {
		t.Error("other permissions gave another token")
	}
	if !allows("playlists:write") || allows("playlists:read") {
		t.Error("the permissions were not replaced")
	}
	if err := st.RemovePluginAccount(ctx, store.MainOrg, "acme-app"); err != nil {
		t.Fatal(err)
	}
	if fresh := token("playlists:read"); fresh == first || !allows("playlists:read") {
		t.Error("a removed account was not made again")
	}
}

// Hosts that share a database start at once, and what happens in one counts in the
// others from the next request on.
func TestHostsShareADatabase(t *testing.T) {
	t.Parallel()
	if !testdb.IsWanted() {
		t.Skip("only PostgreSQL is shared: " + testdb.Env + "=postgres")
	}
	ctx, database := t.Context(), testdb.New(t)
	servers := make([]*server, 3)
	tokens := make([]string, len(servers))
	var group sync.WaitGroup
	for n := range servers {
		o := testOptions(t)
		o.Database = database
		group.Go(func() {
			s, err := startServer(ctx, o, io.Discard, io.Discard)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() {
				if err := s.close(); err != nil {
					t.Error(err)
				}
			})
			iam := &bundle.IAM{Permissions: []bundle.Permission{{Action: "playlists:read"}}}
			servers[n] = s
			if tokens[n], err = s.accounts.token(ctx, bundle.Plugin{Metadata: &bundle.Metadata{ID: "acme-app", IAM: iam}}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if t.Failed() {
		return
	}
	status := func(s *server, token string) int {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/playlists", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		return got.StatusCode
	}
	for _, s := range servers {
		for _, token := range tokens {
			if got := status(s, token); got != http.StatusOK {
				t.Errorf("%s answers the token of a host with %d", s.url, got)
			}
		}
	}
	if err := servers[0].store.RemovePluginAccount(ctx, store.MainOrg, "acme-app"); err != nil {
		t.Fatal(err)
	}
	for _, s := range servers {
		if got := status(s, tokens[0]); got != http.StatusUnauthorized {
			t.Errorf("%s answers a removed token with %d", s.url, got)
		}
	}
}

// The dashboards of a plugin are there once it is mounted; what people changed stays
// until the plugin brings another version.
func TestPluginDashboards(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "acme-boards-app", name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("plugin.json", `{"id":"acme-boards-app","type":"app","name":"Boards","includes":[
		{"type":"dashboard","path":"dashboards/one.json"},
		{"type":"dashboard","path":"dashboards/two.json","uid":"two"},
		{"type":"dashboard","path":"dashboards/no-uid.json"},
		{"type":"dashboard","path":"dashboards/taken.json"},
		{"type":"dashboard","path":"../../outside.json","uid":"outside"},
		{"type":"dashboard","path":"dashboards/broken.json","uid":"broken"},
		{"type":"dashboard","path":"dashboards","uid":"folder"},
		{"type":"page","path":"/a/acme-boards-app"}]}`)
	write("dashboards/one.json", `{"uid":"one","id":77,"version":9,"title":"One","tags":["acme"]}`)
	write("dashboards/two.json", `{"title":"Two"}`)
	write("dashboards/no-uid.json", `{"title":"None"}`)
	write("dashboards/broken.json", `{`)
	write("../outside.json", `{"title":"Outside"}`)
	o := testOptions(t)
	o.PluginsDirs = []string{dir}
	var log output
	s, err := startServer(t.Context(), o, io.Discard, &log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	s.mounted.Wait()
	ctx := t.Context()
	if _, err := s.store.SaveDashboard(ctx, store.MainOrg, host.Dashboard{UID: "theirs", Title: "Theirs"}, store.Save{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	write("dashboards/taken.json", `{"uid":"theirs","title":"Taken"}`)
	titles := func() (titles []string) {
		found, err := s.store.Dashboards(ctx, store.MainOrg, store.DashboardFilter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range found {
			titles = append(titles, fmt.Sprint(d.Title, d.Version, d.PluginID, d.Tags))
		}
		return titles
	}
	mount := func(want ...string) {
		t.Helper()
		if err := s.mount(ctx); err != nil {
			t.Fatal(err)
		}
		if got := titles(); !slices.Equal(got, want) {
			t.Errorf("dashboards %q, want %q", got, want)
		}
	}
	mount("One1acme-boards-app[acme]", "Theirs1[]", "Two1acme-boards-app[]")
	for _, path := range []string{"no-uid.json", "outside.json", "broken.json", "path=dashboards ", "taken.json"} {
		if !strings.Contains(log.String(), path) {
			t.Errorf("the log does not name %s:\n%s", path, log.String())
		}
	}
	if _, err := s.store.SaveDashboard(ctx, store.MainOrg, host.Dashboard{UID: "one", Title: "Mine", Version: 1}, store.Save{}); err != nil {
		t.Fatal(err)
	}
	mount("Mine2acme-boards-app[]", "Theirs1[]", "Two1acme-boards-app[]")
	write("dashboards/one.json", `{"uid":"one","title":"One, better"}`)
	mount("One, better3acme-boards-app[]", "Theirs1[]", "Two1acme-boards-app[]")
}

// The key and the name of a host are made once, for their owner alone.
func TestKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	key, err := secretKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := secretKey(dir); err != nil || !bytes.Equal(key, again) {
		t.Errorf("another key: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	name, err := instanceName(dir)
	if again, _ := instanceName(dir); err != nil || again != name || !host.IsUID(name) {
		t.Errorf("%q, %q, %v", name, again, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "secret.key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secretKey(dir); err == nil || !strings.Contains(err.Error(), "secret.key") {
		t.Errorf("a broken key: %v", err)
	}
	t.Setenv(envSecretKey, hex.EncodeToString(key))
	if given, err := secretKey(dir); err != nil || !bytes.Equal(key, given) {
		t.Errorf("the given key: %v", err)
	}
	t.Setenv(envSecretKey, "zz")
	if _, err := secretKey(dir); err == nil || !strings.Contains(err.Error(), envSecretKey) {
		t.Errorf("a broken key is given: %v", err)
	}
}

// What is out of date ends before its successor starts.
func TestInBackground(t *testing.T) {
	t.Parallel()
	ended := false
	stop := inBackground(t.Context(), func(ctx context.Context) {
		<-ctx.Done()
		ended = true
	})
	stop()
	if !ended {
		t.Error("stop did not wait")
	}
}
