package build

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// readingBundler bundles by concatenating the source files of a panel.
type readingBundler struct{}

func (readingBundler) Bundle(_ context.Context, f Frontend) (*Module, error) {
	var code []byte
	for _, name := range []string{"src/module.ts", "src/part.ts"} {
		text, err := os.ReadFile(filepath.Join(f.Root, name))
		if err != nil {
			return nil, err
		}
		code = append(code, text...)
	}
	return &Module{Files: map[string][]byte{"module.js": code, "module.js.map": []byte("{}")}, Warnings: []string{"odd"}}, nil
}

// panel writes the repository of a panel in TypeScript.
func panel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json":  strings.NewReplacer("acme-x-app", "acme-x-panel", `"app"`, `"panel"`, "KEY", "serviceDependency", "INCLUDES", "").Replace(appJSON),
		"src/module.ts":    "import './part';\nexport const plugin = 1;",
		"src/part.ts":      "one",
		"src/img/logo.svg": "<svg/>",
		"README.md":        "# X\n",
	})
	return dir
}

// A frontend is bundled at each build, since nobody knows for sure what it depends on.
func TestBundledAtEachBuild(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	o := options(dir)
	o.Bundler = readingBundler{}
	for _, part := range []string{"one", "one", "two"} {
		testkit.WriteFile(t, filepath.Join(dir, "src", "part.ts"), part)
		r := mustBuild(t, o)
		if text, err := os.ReadFile(filepath.Join(r.Dist, "module.js")); err != nil || !strings.HasSuffix(string(text), part) {
			t.Errorf("module.js contains %q, %v", text, err)
		}
		if !slices.Contains(r.Warnings, "odd") {
			t.Errorf("the warnings of the bundler are missing: %q", r.Warnings)
		}
	}
}

type bundlerFunc func(context.Context, Frontend) (*Module, error)

func (f bundlerFunc) Bundle(ctx context.Context, in Frontend) (*Module, error) { return f(ctx, in) }

// A bundle may have files in the directory of another plugin.
func TestFilesOfAnotherPlugin(t *testing.T) {
	t.Parallel()
	o := options(app(t, "serviceDependency"))
	o.Bundler = bundlerFunc(func(_ context.Context, f Frontend) (*Module, error) {
		b := &Module{Files: map[string][]byte{"module.js": nil}}
		if f.PluginID == "acme-y-panel" {
			b.Files["../styles/dark.css"] = []byte("dark")
		}
		return b, nil
	})
	for range 2 {
		r := mustBuild(t, o)
		if text, err := os.ReadFile(filepath.Join(r.Dist, "styles", "dark.css")); string(text) != "dark" {
			t.Errorf("dark.css contains %q, %v", text, err)
		}
	}
}

// An executable in dist that is a link is replaced. What it points to keeps its contents and mode.
func TestLinkedExecutable(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	name := filepath.Join(dir, "dist", mustBuild(t, o).Executables[0].File)
	elsewhere := filepath.Join(t.TempDir(), "program")
	testkit.OK(t, os.Rename(name, elsewhere), os.Chmod(elsewhere, 0o711), os.Symlink(elsewhere, name))
	before := testkit.Tree(t, filepath.Dir(elsewhere))
	o.Only = OnlyFrontend
	mustBuild(t, o)
	o.Only = ""
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { println(2) }\n")
	mustBuild(t, o)
	if diff := cmp.Diff(before, testkit.Tree(t, filepath.Dir(elsewhere))); diff != "" {
		t.Errorf("wrote through the link (-before +after):\n%s", diff)
	}
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		t.Errorf("dist has %v, %v", info, err)
	}
}

// A build keeps the files of dist that it did not make, and mentions them once.
func TestForeignFilesAreKept(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	testkit.WriteFile(t, filepath.Join(dir, "dist", "module.js"), "made by another bundler")
	testkit.WriteFile(t, filepath.Join(dir, "dist", "README.md"), "# X\n") // as this build makes it
	testkit.WriteFile(t, filepath.Join(dir, "dist", "notes", "mine.txt"), "mine")
	testkit.OK(t, os.Symlink("notes/mine.txt", filepath.Join(dir, "dist", "link")))
	r := mustBuild(t, o)
	kept, err := filepath.Glob(filepath.Join(dir, ".slipway", "kept", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %q, %v", kept, err)
	}
	want := "dist contained files that no build wrote: moved to .slipway/kept/" + filepath.Base(kept[0]) + ": link, module.js, " + filepath.Join("notes", "mine.txt")
	if diff := cmp.Diff([]string{want}, r.Warnings); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"module.js": "made by another bundler", "notes/mine.txt": "mine", "link": "mine"} {
		if text, err := os.ReadFile(filepath.Join(kept[0], filepath.FromSlash(name))); err != nil || string(text) != want {
			t.Errorf("%s contains %q, %v", name, text, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".slipway", ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("Git does not ignore .slipway: %q, %v", text, err)
	}
	if exists(filepath.Join(r.Dist, "notes")) {
		t.Error("dist contains files of others")
	}
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "# Y\n")
	if r = mustBuild(t, o); len(r.Warnings) > 0 {
		t.Errorf("the second build warns: %q", r.Warnings)
	}

	// On another machine there is no record: what would be the same counts as made by a
	// build, and what would not is kept.
	o.CacheDir = t.TempDir()
	if r = mustBuild(t, o); len(r.Warnings) > 0 {
		t.Errorf("a build without a record warns: %q", r.Warnings)
	}
	o.CacheDir = t.TempDir()
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "# Z\n")
	if r = mustBuild(t, o); len(r.Warnings) != 1 || !strings.HasSuffix(r.Warnings[0], ": README.md") {
		t.Errorf("warnings %q", r.Warnings)
	}

	// An executable of the build's own is deleted when it is no longer built for.
	other := bundle.Platform{OS: "windows", Arch: "amd64"}
	o.Platforms = []bundle.Platform{bundle.Host(), other}
	mustBuild(t, o)
	o.Platforms = o.Platforms[:1]
	if r = mustBuild(t, o); len(r.Warnings) > 0 || exists(filepath.Join(r.Dist, other.Executable("gpx_x"))) {
		t.Errorf("warnings %q, dist contains %q", r.Warnings, listing(t, r.Dist))
	}
}

func TestDistIsAFile(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "dist"), "mine")
	if _, err := Plugin(t.Context(), options(dir, bundle.Host())); err == nil || !strings.Contains(err.Error(), "it is a file: move it elsewhere") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "dist")); err != nil || string(text) != "mine" {
		t.Errorf("dist contains %q, %v", text, err)
	}
}

func TestNamesOfKeptFilesArePrintable(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "dist", "mine\x1b[2J"), "x")
	r := mustBuild(t, options(dir, bundle.Host()))
	if len(r.Warnings) != 1 || strings.ContainsRune(r.Warnings[0], '\x1b') {
		t.Errorf("warnings %q, which control a terminal", r.Warnings)
	}
}

// Regardless of when a build is killed, dist is the previous one or the new one, and the
// next build does not treat its files as foreign.
func TestKilledAfterEachStep(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	o := options(dir)
	o.Bundler = readingBundler{}
	dist := filepath.Join(dir, "dist")
	mustBuild(t, o)
	for n := range len((&Plan{}).steps()) + 1 {
		testkit.WriteFile(t, filepath.Join(dist, "note.txt"), "mine")
		before := testkit.Tree(t, dist)
		testkit.WriteFile(t, filepath.Join(dir, "src", "part.ts"), strings.Repeat("x", n+1))
		testkit.WriteFile(t, filepath.Join(dir, "README.md"), strings.Repeat("x", n+1))
		p := mustPlan(t, o)
		staging := testkit.Must(os.MkdirTemp(dir, stagingPrefix))(t)
		r := &Result{previous: p.readRecord()}
		for _, step := range p.steps()[:n] {
			testkit.OK(t, step(t.Context(), staging, r))
		}
		killed := testkit.Tree(t, dist)
		r = mustBuild(t, o)
		if after := testkit.Tree(t, dist); killed != before && killed != after {
			t.Errorf("after %d steps dist is neither the previous one nor the new one:\n%s", n, cmp.Diff(before, killed))
		}
		notes, err := filepath.Glob(filepath.Join(dir, ".slipway", "kept", "*", "*"))
		if err != nil || len(notes) == 0 || slices.ContainsFunc(notes, func(name string) bool { return filepath.Base(name) != "note.txt" }) {
			t.Errorf("after %d steps the kept files are %q, %v; warnings %q", n, notes, err, r.Warnings)
		}
		testkit.OK(t, os.RemoveAll(filepath.Join(dir, ".slipway")))
	}
}
