package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// registry is an npm registry in memory.
type registry struct {
	*httptest.Server
	tarballs map[string][]byte // by path
	requests atomic.Int64
	auth     atomic.Value // the last Authorization
}

func newRegistry(t *testing.T) *registry {
	r := &registry{tarballs: map[string][]byte{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		r.auth.Store(req.Header.Get("Authorization"))
		text, ok := r.tarballs[req.URL.EscapedPath()]
		if !ok {
			http.NotFound(w, req)
			return
		}
		_, _ = w.Write(text)
	}))
	t.Cleanup(r.Close)
	return r
}

// add publishes a package and returns its integrity.
func (r *registry) add(t *testing.T, name, version string, entries ...tar.Header) string {
	t.Helper()
	if len(entries) == 0 {
		entries = []tar.Header{{Name: "package/index.js"}, {Name: "package/index.d.ts"}, {Name: "package/package.json"}}
	}
	text := tarball(t, entries...)
	base := name[strings.LastIndexByte(name, '/')+1:]
	r.tarballs["/"+name+"/-/"+base+"-"+version+".tgz"] = text
	integrity := integrityOf(text)
	r.tarballs["/"+strings.ReplaceAll(name, "/", "%2f")+"/"+version] = fmt.Appendf(nil, `{"dist": {"integrity": %q}}`, integrity)
	return integrity
}

func integrityOf(text []byte) string {
	sum := sha512.Sum512(text)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// tarball packs entries whose text is their name.
func tarball(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, h := range entries {
		h.Mode = 0o644
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(h.Name))
		}
		testkit.OK(t, w.WriteHeader(&h))
		if h.Typeflag == tar.TypeReg {
			testkit.Must(w.Write([]byte(h.Name)))(t)
		}
	}
	testkit.OK(t, w.Close(), z.Close())
	return b.Bytes()
}

// repo writes a repository that uses a registry.
func repo(t *testing.T, r *registry, files map[string]string) Options {
	t.Helper()
	root := t.TempDir()
	files[".git/HEAD"] = ""
	if files[".npmrc"] == "" {
		files[".npmrc"] = "registry=" + r.URL
	}
	if files["package.json"] == "" {
		files["package.json"] = `{"dependencies": {"a": "^1.0.0"}}`
	}
	testkit.WriteFiles(t, root, files)
	return Options{Root: root, CacheDir: filepath.Join(t.TempDir(), "cache"), Client: r.Client()}
}

func mustOpen(t *testing.T, o Options) *Store {
	t.Helper()
	return testkit.Must(Open(o))(t)
}

// Each lockfile describes a@1.0.0, which requires b@2.0.0, and a b@1.0.0 of the repository.
func TestLockfiles(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	a, b1, b2 := r.add(t, "a", "1.0.0"), r.add(t, "@s/b", "1.0.0"), r.add(t, "@s/b", "2.0.0")
	for name, lock := range map[string]struct{ file, text string }{
		"npm": {"package-lock.json", fmt.Sprintf(`{"lockfileVersion": 3, "packages": {"": {},
			"node_modules/a": {"version": "1.0.0", "resolved": "`+defaultRegistry+`a/-/a-1.0.0.tgz", "integrity": %q, "dependencies": {"@s/b": "^2.0.0"}},
			"node_modules/@s/b": {"version": "1.0.0", "integrity": %q},
			"node_modules/a/node_modules/@s/b": {"version": "2.0.0", "integrity": %q}}}`, a, b1, b2)},
		"npm 6": {"package-lock.json", fmt.Sprintf(`{"lockfileVersion": 1, "dependencies": {
			"a": {"version": "1.0.0", "integrity": %q, "requires": {"@s/b": "^2.0.0"}, "dependencies": {"@s/b": {"version": "2.0.0", "integrity": %q}}},
			"@s/b": {"version": "1.0.0", "integrity": %q}}}`, a, b2, b1)},
		"yarn 1": {"yarn.lock", fmt.Sprintf(`# yarn lockfile v1

"@s/b@^1.0.0":
  version "1.0.0"
  resolved "https://registry.yarnpkg.com/@s/b/-/b-1.0.0.tgz#0000"
  integrity %s

"@s/b@2", "@s/b@^2.0.0":
  version "2.0.0"
  resolved "https://registry.yarnpkg.com/@s/b/-/b-2.0.0.tgz#0000"
  integrity %s

a@^1.0.0:
  version "1.0.0"
  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#0000"
  integrity %s
  dependencies:
    "@s/b" "^2.0.0"
`, b1, b2, a)},
		"yarn 4": {"yarn.lock", `# This file is generated

__metadata:
  version: 8

"@s/b@npm:^1.0.0":
  version: 1.0.0
  resolution: "@s/b@npm:1.0.0"

"@s/b@npm:2, @s/b@npm:^2.0.0":
  version: 2.0.0
  resolution: "@s/b@npm:2.0.0"

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0"
  dependencies:
    "@s/b": "npm:^2.0.0"
`},
		"pnpm 9": {"pnpm-lock.yaml", fmt.Sprintf(`lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1.0.0, version: 1.0.0(react@18.0.0)}
      '@s/b': {specifier: ^1.0.0, version: 1.0.0}
packages:
  a@1.0.0: {resolution: {integrity: %s}}
  '@s/b@1.0.0': {resolution: {integrity: %s}}
  '@s/b@2.0.0': {resolution: {integrity: %s}}
snapshots:
  a@1.0.0(react@18.0.0): {dependencies: {'@s/b': 2.0.0}}
  '@s/b@1.0.0': {}
  '@s/b@2.0.0': {}
`, a, b1, b2)},
		"pnpm 6": {"pnpm-lock.yaml", fmt.Sprintf(`lockfileVersion: '6.0'
dependencies:
  a: {specifier: ^1.0.0, version: 1.0.0}
  '@s/b': {specifier: ^1.0.0, version: 1.0.0}
packages:
  /a@1.0.0: {resolution: {integrity: %s}, dependencies: {'@s/b': 2.0.0}}
  /@s/b@1.0.0: {resolution: {integrity: %s}}
  /@s/b@2.0.0: {resolution: {integrity: %s}}
`, a, b1, b2)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{lock.file: lock.text,
				"package.json": `{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"@s/b": "^1.0.0"}}`})
			s := mustOpen(t, o)
			version := func(importer, name string) string {
				if p := s.find(importer, name); p != nil {
					return p.Version
				}
				return ""
			}
			main := filepath.Join(o.Root, "src", "module.ts")
			dir, ok, err := s.Dir(t.Context(), main, "a")
			if !ok || err != nil {
				t.Fatalf("a: %v, %v", ok, err)
			}
			inside := filepath.Join(dir, "node_modules", "a", "index.js")
			if text, err := os.ReadFile(inside); err != nil || string(text) != "package/index.js" {
				t.Errorf("%s contains %q, %v", inside, text, err)
			}
			got := map[string]string{
				"b of the repository": version(main, "@s/b"), "b of a": version(inside, "@s/b"),
				"a of itself": version(inside, "a"), "unknown": version(main, "c"),
			}
			want := map[string]string{"b of the repository": "1.0.0", "b of a": "2.0.0", "a of itself": "1.0.0", "unknown": ""}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			laidOut(t, s, map[string]string{"a": "a@1.0.0", "@s/b": "@s+b@1.0.0", "a/../@s/b": "@s+b@2.0.0"})
		})
	}
}

// A second repository with the same package downloads nothing; many that ask at once
// download it once.
func TestShared(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	lock := fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "integrity": %q}}}`, r.add(t, "a", "1.0.0"))
	first := repo(t, r, map[string]string{"package-lock.json": lock})
	s := mustOpen(t, first)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if _, _, err := s.Dir(t.Context(), first.Root, "a"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	second := repo(t, r, map[string]string{"package-lock.json": lock})
	second.CacheDir, second.Offline = first.CacheDir, true
	s = mustOpen(t, second)
	if _, ok, err := s.Dir(t.Context(), second.Root, "a"); !ok || err != nil {
		t.Errorf("from the cache: %v, %v", ok, err)
	}
	if n := r.requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	left, err := filepath.Glob(filepath.Join(first.CacheDir, ".staging-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A package without a hash in the lockfile comes from the repository's own registry, even if
// another repository has one with the same name and version.
func TestOtherRegistry(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	for _, want := range []string{"first.js", "second.js"} {
		r := newRegistry(t)
		r.add(t, "a", "1.0.0", tar.Header{Name: "package/" + want})
		o := repo(t, r, map[string]string{"yarn.lock": `
__metadata:
  version: 8

"a@npm:^1.0.0":
  version: 1.0.0
  resolution: "a@npm:1.0.0"
`})
		o.CacheDir = cache
		s := mustOpen(t, o)
		dir, _, err := s.Dir(t.Context(), o.Root, "a")
		if err != nil || !exists(filepath.Join(dir, "node_modules", "a", want)) {
			t.Errorf("%s has no %s: %v", dir, want, err)
		}
	}
}

// The bundler names importers without symbolic links.
func TestLinkedCache(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "integrity": %q},
		"node_modules/b": {"version": "1.0.0"}, "node_modules/a/node_modules/b": {"version": "2.0.0"}}}`, r.add(t, "a", "1.0.0"))})
	if err := os.Symlink(t.TempDir(), o.CacheDir); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	s := mustOpen(t, o)
	dir, _, err := s.Dir(t.Context(), o.Root, "a")
	if err != nil {
		t.Fatal(err)
	}
	importer := testkit.Must(filepath.EvalSymlinks(filepath.Join(dir, "node_modules", "a", "index.js")))(t)
	if b := s.find(importer, "b"); b == nil || b.Version != "2.0.0" {
		t.Errorf("a imports %+v, want b@2.0.0", b)
	}
}

// What must not be downloaded or unpacked is refused, and nothing stays in the cache.
func TestRefused(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	good := r.add(t, "a", "1.0.0")
	other := newRegistry(t)
	other.tarballs = maps.Clone(r.tarballs)
	entry := func(url, integrity string) string {
		return fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "resolved": %q, "integrity": %q}}}`, url, integrity)
	}
	hostile := func(entries ...tar.Header) string {
		text := tarball(t, entries...)
		path := fmt.Sprintf("/hostile/%d.tgz", len(r.tarballs))
		r.tarballs[path] = text
		return entry(r.URL+path, integrityOf(text))
	}
	many := make([]tar.Header, maxEntries+1)
	for i := range many {
		many[i] = tar.Header{Name: fmt.Sprintf("package/%d/", i), Typeflag: tar.TypeDir}
	}
	for name, tc := range map[string]struct{ lock, want string }{
		"a directory above": {entry("file:../a", good), "outside the repository"},
		"git":               {entry("git+ssh://git@example.com/a.git", good), "not the address of a registry"},
		"another host":      {entry("https://example.com/a.tgz", good), "packages from example.com are not downloaded"},
		"a URL in the path": {entry("https://registry.yarnpkg.com/"+other.URL+"/a/-/a-1.0.0.tgz", good), "404"},
		"a host in it":      {entry("https://registry.yarnpkg.com///"+other.Listener.Addr().String()+"/a/-/a-1.0.0.tgz", good), "404"},
		"a URL as the name": {fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "name": %q, "integrity": %q}}}`, other.URL+"/a", good), "404"},
		"other bytes":       {entry(r.URL+"/a/-/a-1.0.0.tgz", integrityOf([]byte("x"))), "does not match its integrity hash"},
		"no such hash":      {entry(r.URL+"/a/-/a-1.0.0.tgz", "md5-AAAA"), "unknown integrity algorithm"},
		"a broken hash":     {entry(r.URL+"/a/-/a-1.0.0.tgz", "sha512-!"), "invalid integrity hash"},
		"not there":         {entry(r.URL+"/b.tgz", good), "404"},
		"traversal":         {hostile(tar.Header{Name: "package/../../x"}), "leads outside"},
		"deep traversal":    {hostile(tar.Header{Name: "package/a/../../../x"}), "leads outside"},
		"an absolute one":   {hostile(tar.Header{Name: "/etc/x"}), "leads outside"},
		"a link":            {hostile(tar.Header{Name: "package/x", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}), "a link or a device"},
		"a hard link":       {hostile(tar.Header{Name: "package/x", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}), "a link or a device"},
		"many entries":      {hostile(many...), "entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := repo(t, r, map[string]string{"package-lock.json": tc.lock})
			s := mustOpen(t, o)
			_, _, err := s.Dir(t.Context(), o.Root, "a")
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			entries, err := os.ReadDir(o.CacheDir)
			if err != nil && !os.IsNotExist(err) || len(entries) > 0 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

// A file that claims to be huge, and a stream of zeros, end at the limit.
func TestBomb(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	testkit.OK(t, w.WriteHeader(&tar.Header{Name: "package/x", Mode: 0o644, Size: maxUnpacked + 1}))
	if err := errors.Join(w.Flush(), z.Close()); err != nil {
		t.Logf("the tarball is cut on purpose: %v", err)
	}
	err := unpack(t.TempDir(), &b)
	if err == nil || !strings.Contains(err.Error(), "unpacks to more than") {
		t.Error(err)
	}
}

// Credentials go to their registry only; a scope has its own.
func TestRegistries(t *testing.T) {
	t.Parallel()
	scoped, plain := newRegistry(t), newRegistry(t)
	lock := fmt.Sprintf(`{"packages": {"node_modules/@s/b": {"version": "1.0.0", "integrity": %q}, "node_modules/a": {"version": "1.0.0", "integrity": %q}}}`,
		scoped.add(t, "@s/b", "1.0.0"), plain.add(t, "a", "1.0.0"))
	o := repo(t, plain, map[string]string{"package-lock.json": lock,
		".npmrc": "registry=" + plain.URL + "/\n@s:registry=" + scoped.URL + "\n" + strings.TrimPrefix(scoped.URL, "http:") + "/:_authToken=${TOKEN}\n"})
	o.Environ = []string{"TOKEN=secret"}
	s := mustOpen(t, o)
	for _, name := range []string{"@s/b", "a"} {
		if _, _, err := s.Dir(t.Context(), o.Root, name); err != nil {
			t.Error(err)
		}
	}
	if got := scoped.auth.Load(); got != "Bearer secret" {
		t.Errorf("the scoped registry got %q", got)
	}
	if got := plain.auth.Load(); got != "" {
		t.Errorf("the other registry got %q", got)
	}
}

// A token for a part of a host is sent there and not to the rest of the host, and a lockfile
// cannot cause it to be sent without TLS.
func TestTokenOfPath(t *testing.T) {
	t.Parallel()
	r := registries{options: map[string]string{"//host/npm/team/:_authToken": "secret", "registry": "https://host/npm/team/"}}
	for at, want := range map[string]string{
		"https://host/npm/team/a/-/a-1.0.0.tgz": "Bearer secret", "https://host/npm/other/a.tgz": "", "https://host/a.tgz": "",
		"https://other/npm/team/a.tgz": "",
	} {
		u := testkit.Must(url.Parse(at))(t)
		if got := r.authorization("a", u); got != want {
			t.Errorf("%s: %q, want %q", at, got, want)
		}
	}
	for _, p := range []Package{
		{URL: "https://registry.npmjs.org/@s/b/-/b-1.0.0.tgz"}, {URL: "https://registry.yarnpkg.com/@s%2fb/-/b-1.0.0.tgz#0000"}, {},
	} {
		p.Name, p.Version = "@s/b", "1.0.0"
		if at, err := r.tarball(&p); err != nil || at.Host != "host" || at.Path != "/npm/team/@s/b/-/b-1.0.0.tgz" {
			t.Errorf("%q is at %v, %v", p.URL, at, err)
		}
	}
	at, err := r.tarball(&Package{Name: "a", Version: "1.0.0", URL: "http://host/npm/team/a/-/a-1.0.0.tgz"})
	if err != nil || at.Scheme != "https" {
		t.Errorf("the tarball is at %v, %v", at, err)
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no lockfile":  {map[string]string{}, ErrNoLockfile.Error()},
		"not JSON":     {map[string]string{"package-lock.json": `{`}, "package-lock.json"},
		"not YAML":     {map[string]string{"pnpm-lock.yaml": "a: [", "package.json": "{}"}, "pnpm-lock.yaml"},
		"not Yarn":     {map[string]string{"yarn.lock": "<<<<<<< HEAD\n"}, "yarn.lock"},
		"package.json": {map[string]string{"package.json": "[", "yarn.lock": ""}, "package.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := Open(repo(t, r, tc.files)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}

// Of several lockfiles, the one is read that belongs to the package manager that package.json names.
func TestSeveralLockfiles(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	for about, want := range map[string]string{
		`{}`: "package-lock.json [yarn.lock pnpm-lock.yaml]", `{"packageManager": "npm@11.0.0"}`: "package-lock.json []",
		`{"packageManager": "yarn@1.22.22+sha1.abc"}`: "yarn.lock []", `{"packageManager": "pnpm@9.1.0"}`: "pnpm-lock.yaml []",
		`{"packageManager": "deno@2"}`: "package-lock.json [yarn.lock pnpm-lock.yaml]",
	} {
		s := testkit.Must(Open(repo(t, r, map[string]string{"package.json": about, "package-lock.json": `{"packages": {}}`,
			"yarn.lock": "# yarn lockfile v1\n", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"})))(t)
		if read, unread := s.Lockfiles(); fmt.Sprint(filepath.Base(read), " ", unread) != want {
			t.Errorf("%s: %s %s, want %s", about, read, unread, want)
		}
	}
}

// A lockfile that cannot be read is an error at its place.
func TestDamagedLockfile(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	for _, c := range []struct{ name, text, want string }{
		{"package-lock.json", "{\n  \"packages\": broken", "package-lock.json:2:15: invalid lockfile: invalid character 'b' "},
		{"package-lock.json", "{\n", "package-lock.json:1:2: invalid lockfile: unexpected end of JSON input"},
		{"package-lock.json", "{\n\"packages\": 7}", "package-lock.json:2:13: invalid lockfile: json: cannot unmarshal number "},
		{"package-lock.json", "{\n<<<<<<< HEAD\n", "package-lock.json:2:1: invalid lockfile: unresolved merge conflict; restore it"},
		{"pnpm-lock.yaml", "<<<<<<< HEAD\na:\n", "pnpm-lock.yaml:1:1: invalid lockfile: unresolved merge conflict; restore it"},
		{"pnpm-lock.yaml", "a:\n\tb: 1", "pnpm-lock.yaml: invalid lockfile: yaml: line 2"},
	} {
		o := repo(t, r, map[string]string{c.name: c.text})
		if _, err := Open(o); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: got the error %v, want %s", c.text, err, c.want)
		}
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	o := repo(t, r, map[string]string{"package-lock.json": fmt.Sprintf(`{"packages": {"node_modules/a": {"version": "1.0.0", "integrity": %q}}}`, r.add(t, "a", "1.0.0"))})
	s := mustOpen(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Dir(ctx, o.Root, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, _, err := s.Dir(t.Context(), o.Root, "a"); err != nil {
		t.Errorf("after a canceled download: %v", err)
	}
}
