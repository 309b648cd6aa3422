package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

const onlyA = `{"packages": {"node_modules/a": {"version": %q, "integrity": %q}}}`

// fetched downloads package a with a new store, and returns its directory in the cache.
func fetched(t *testing.T, o Options) (dir string, err error) {
	t.Helper()
	s := mustOpen(t, o)
	dir, _, err = s.Dir(t.Context(), filepath.Join(o.Root, "package.json"), "a")
	return dir, err
}

// TestDamaged changes a package in the cache, as a crash or a program that cleans caches may.
func TestDamaged(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	integrity := r.add(t, "a", "1.0.0")
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", integrity)})
	dir := testkit.Must(fetched(t, o))(t)
	file := filepath.Join(dir, "node_modules", "a", "index.js")
	want := testkit.Must(os.ReadFile(file))(t)
	for name, damage := range map[string]func() error{
		"nothing":              func() error { return nil },
		"an empty file":        func() error { return os.Truncate(file, 0) },
		"a file less":          func() error { return os.Remove(file) },
		"a directory less":     func() error { return os.RemoveAll(filepath.Join(dir, "node_modules")) },
		"an empty list":        func() error { return os.Truncate(filepath.Join(dir, contentsName), 0) },
		"part of the list":     func() error { return os.Truncate(filepath.Join(dir, contentsName), 20) },
		"a directory, instead": func() error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
	} {
		before := r.requests.Load()
		testkit.OK(t, damage())
		if _, err := fetched(t, o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != string(want) {
			t.Errorf("%s: after it, the file contains %q (%v)", name, got, err)
		}
		if isAgain := r.requests.Load() > before; isAgain != (name != "nothing") {
			t.Errorf("%s: downloaded again: %t", name, isAgain)
		}
	}
	testkit.OK(t, os.Truncate(file, 0))
	o.Offline = true
	if _, err := fetched(t, o); err == nil {
		t.Error("a damaged package is used offline")
	}
}

// TestTries serves what may pass a number of times.
func TestTries(t *testing.T) {
	t.Parallel()
	text := tarball(t, tar.Header{Name: "package/index.js"})
	for name, c := range map[string]struct {
		fail func(w http.ResponseWriter)
		n    int64 // responses that fail
		want string
	}{
		"busy, twice":  {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 2, ""},
		"busy, always": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) }, 99, "503 Service Unavailable"},
		"a limit":      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusTooManyRequests) }, 1, ""},
		"a cut response": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "half")
		}, 1, ""},
		"forbidden": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, 1, "403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if requests.Add(1) <= c.n {
					c.fail(w)
					return
				}
				_, _ = w.Write(text)
			}))
			defer server.Close()
			o := repo(t, &registry{Server: server}, map[string]string{"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", integrityOf(text))})
			o.Pause = time.Nanosecond
			_, err := fetched(t, o)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
			want := min(c.n+1, maxTries)
			if name == "forbidden" {
				want = 1
			}
			if got := requests.Load(); got != want {
				t.Errorf("%d requests, want %d", got, want)
			}
		})
	}
}

// TestRedirect redirects a request to another port of the same name, which gets no token.
func TestRedirect(t *testing.T) {
	t.Parallel()
	files := newRegistry(t)
	integrity := files.add(t, "a", "1.0.0")
	var sent atomic.Value
	registryServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		sent.Store(req.Header.Get("Authorization"))
		http.Redirect(w, req, files.URL+req.URL.Path, http.StatusFound)
	}))
	defer registryServer.Close()
	host := strings.TrimPrefix(registryServer.URL, "http:")
	o := repo(t, files, map[string]string{
		".npmrc":            "registry=" + registryServer.URL + "\n" + host + "/:_authToken=secret",
		"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", integrity),
	})
	testkit.Must(fetched(t, o))(t)
	if got := sent.Load(); got != "Bearer secret" {
		t.Errorf("the registry got the credentials %q", got)
	}
	if got := files.auth.Load(); got != "" {
		t.Errorf("the other server got the credentials %q", got)
	}
}

// Entries that are not unpacked count, too: a tarball of them would keep the processor busy.
func TestUncounted(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	err := tar.NewWriter(z).WriteHeader(&tar.Header{Name: "no-directory", Typeflag: tar.TypeReg, Size: maxUnpacked + 1})
	testkit.OK(t, err, z.Close())
	text := b.Bytes()
	r.tarballs["/a/-/a-1.0.0.tgz"] = text
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", integrityOf(text))})
	if _, err := fetched(t, o); err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Errorf("got the error %v", err)
	}
}

// A registry that nobody serves is one error for all of its packages.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(onlyA, "1.0.0", r.add(t, "a", "1.0.0"))})
	o.Pause = time.Nanosecond
	r.Close()
	_, err := fetched(t, o)
	unreachable, ok := errors.AsType[UnreachableError](err)
	if !ok {
		t.Fatalf("the error is %v", err)
	}
	host := strings.TrimPrefix(r.URL, "http://")
	if text, help := unreachable.Shared(); err.Error() != "a@1.0.0: "+text || !strings.HasPrefix(text, host+" cannot be reached (") || strings.Contains(text, "dial") || help == "" {
		t.Errorf("%v\n%s\n%s", err, text, help)
	}
}
