package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate/rules"
)

// readingBundler bundles by concatenating the source files of a frontend, and counts how
// often.
type readingBundler struct {
	runs  int
	names []string // relative to the repository
}

func (b *readingBundler) Bundle(_ context.Context, f Frontend) (*Bundle, error) {
	b.runs++
	var code []byte
	for _, name := range b.names {
		text, err := os.ReadFile(filepath.Join(f.Root, name))
		if err != nil {
			return nil, err
		}
		code = append(code, text...)
	}
	return &Bundle{Files: map[string][]byte{"module.js": code, "module.js.map": []byte("{}")}, Warnings: []string{"odd"}, Inputs: b.names}, nil
}

// panel writes the repository of a panel in TypeScript. Its files are an hour old.
func panel(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	for name, text := range map[string]string{
		"src/plugin.json":              strings.NewReplacer("acme-x-app", "acme-x-panel", `"app"`, `"panel"`, "KEY", "serviceDependency", "INCLUDES", "").Replace(appJSON),
		"src/module.ts":                "import './part';",
		"src/part.ts":                  "one",
		"src/img/logo.svg":             "<svg/>",
		"README.md":                    "# X\n",
		"package.json":                 "{}",
		"package-lock.json":            "{}",
		"tsconfig.json":                "{\"extends\": \"./base\", /* comment */}",
		"base.json":                    "{}",
		"node_modules/a/index.js":      "package",
		"node_modules/.yarn-integrity": "1",
	} {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	age(t, dir)
	return dir
}

// age makes all files of a directory an hour old: a build does not trust files that were
// written while it ran.
func age(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFrontendUpToDate(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	bundler := &readingBundler{names: []string{"src/module.ts", "src/part.ts", "node_modules/a/index.js"}}
	o := options(dir)
	o.Bundler = bundler
	change := func(name, text string) func() {
		return func() {
			file := filepath.Join(dir, filepath.FromSlash(name))
			write(t, file, text)
			if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	runs := 0
	for _, step := range []struct {
		name   string
		change func()
		want   bool // bundles
		reason string
	}{
		{"the first build", func() {}, true, "no previous build is recorded"},
		{"nothing changed", func() {}, false, "up to date"},
		{"a document changed", change("README.md", "# Y\n"), false, "up to date"},
		{"a test of the backend", change("pkg/main_test.go", "package main\n"), false, "up to date"},
		{"a source file changed", change("src/part.ts", "two"), true, "src/part.ts changed"},
		{"a package changed", change("node_modules/a/index.js", "package 2"), true, "node_modules/a/index.js changed"},
		{"a new file could be imported", change("src/part.tsx", ""), true, "the list of source files changed"},
		{"the lockfile", change("package-lock.json", "{ }"), true, "package-lock.json changed"},
		{"another package manager", change("node_modules/.package-lock.json", "{}"), true, "node_modules/.package-lock.json is new"},
		{"what tsconfig.json extends", change("base.json", "{ }"), true, "base.json changed"},
		{"a configuration that is not extended", change(".config/tsconfig.json", "{}"), true, ".config/tsconfig.json is new"},
		{"a configuration of webpack", change("webpack.config.cjs", ""), true, "the list of source files changed, webpack.config.cjs is new"},
		{"other aliases", change("webpack.config.cjs", "alias: {}"), true, "webpack.config.cjs changed"},
		{"a file of dist", change("dist/module.js", "mine"), true, "dist/module.js was changed or deleted after the build"},
		{"nothing changed again", func() {}, false, "up to date"},
	} {
		step.change()
		var out strings.Builder
		o.Explain, o.Progress = true, &out
		r := mustBuild(t, o)
		if got := bundler.runs > runs; got != step.want {
			t.Errorf("%s: bundled: %t", step.name, got)
		}
		if !strings.Contains(out.String(), "module.js      "+map[bool]string{true: "runs: "}[step.want]+step.reason+"\n") {
			t.Errorf("%s: explained\n%s", step.name, out.String())
		}
		text, err := os.ReadFile(filepath.Join(r.Dist, "module.js"))
		if want, _ := bundler.Bundle(t.Context(), Frontend{Root: dir}); err != nil || !bytes.Equal(text, want.Files["module.js"]) {
			t.Errorf("%s: module.js contains %q, want %q", step.name, text, want.Files["module.js"])
		}
		runs = bundler.runs
		if !slices.Contains(r.Warnings, "odd") {
			t.Errorf("%s: the warnings of the bundler are missing: %q", step.name, r.Warnings)
		}
	}
	bundler.names = nil // without inputs, it is unknown whether the bundle is current
	write(t, filepath.Join(dir, "dist", "module.js"), "")
	mustBuild(t, o)
	runs = bundler.runs
	mustBuild(t, o)
	if bundler.runs == runs {
		t.Error("a bundle without inputs is up to date")
	}
}

// A file that is edited while it is bundled may be in the bundle before or after the edit.
func TestEditedWhileBundled(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	bundler := &readingBundler{names: []string{"src/module.ts", "src/part.ts"}}
	o := options(dir)
	o.Bundler = bundlerFunc(func(ctx context.Context, f Frontend) (*Bundle, error) {
		b, err := bundler.Bundle(ctx, f)
		write(t, filepath.Join(dir, "src", "part.ts"), "edited")
		return b, err
	})
	mustBuild(t, o)
	o.Bundler = bundler
	r := mustBuild(t, o)
	if text, err := os.ReadFile(filepath.Join(r.Dist, "module.js")); err != nil || !strings.Contains(string(text), "edited") {
		t.Errorf("module.js contains %q, %v", text, err)
	}
}

type bundlerFunc func(context.Context, Frontend) (*Bundle, error)

func (f bundlerFunc) Bundle(ctx context.Context, in Frontend) (*Bundle, error) { return f(ctx, in) }

func TestExplain(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	host := bundle.Host().String()
	for _, step := range []struct {
		change func()
		want   map[string]string
	}{
		{func() {}, map[string]string{host: "runs: " + noRecord, "assets": "runs: " + noRecord, "plugin.json": "runs: " + noRecord}},
		{func() {}, map[string]string{host: "up to date", "assets": "up to date", "plugin.json": "up to date"}},
		{func() { write(t, filepath.Join(dir, "pkg", "a.go"), "package main\n") }, map[string]string{host: "runs: pkg/a.go is new", "assets": "up to date", "plugin.json": "up to date"}},
		{func() { o.Environ = append(os.Environ(), "GOFLAGS=-tags=x") }, map[string]string{host: "runs: go env GOFLAGS changed", "assets": "up to date", "plugin.json": "up to date"}},
		{func() { o.Environ = append(os.Environ(), "GOFLAGS=-tags=x", "SOURCE_DATE_EPOCH=0") }, map[string]string{host: "up to date", "assets": "runs: the version or the date changed", "plugin.json": "runs: the date changed"}},
		{func() {
			for _, name := range []string{"a", "b", "c", "d"} {
				write(t, filepath.Join(dir, "pkg", name+".txt"), "")
			}
			if err := os.Remove(filepath.Join(dir, "pkg", "a.go")); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{host: "runs: pkg/a.txt is new, pkg/b.txt is new, pkg/c.txt is new, and 2 more", "assets": "up to date", "plugin.json": "up to date"}},
		{func() { write(t, filepath.Join(dir, "dist", bundle.Host().Executable("gpx_x")), "") }, map[string]string{host: "runs: dist/" + bundle.Host().Executable("gpx_x") + " was changed or deleted after the build", "assets": "up to date", "plugin.json": "up to date"}},
		{func() { write(t, filepath.Join(dir, "src", "plugin.json"), metadata+"\n") }, map[string]string{host: "runs: src/plugin.json changed", "assets": "up to date", "plugin.json": "runs: plugin.json changed"}},
		{func() { write(t, filepath.Join(dir, "release", "x.zip"), "packed") }, map[string]string{host: "up to date"}},
		{func() {
			if err := os.RemoveAll(filepath.Join(dir, "dist")); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"assets": "runs: dist was deleted", "plugin.json": "runs: dist was deleted"}},
		{func() { o.Only = OnlyBackend }, map[string]string{host: "up to date", "assets": "", "plugin.json": "up to date"}},
		{func() { o.Only = "" }, map[string]string{host: "up to date", "assets": "up to date", "plugin.json": "up to date"}},
	} {
		step.change()
		var out strings.Builder
		o.Explain, o.Progress = true, &out
		mustBuild(t, o)
		if table := out.String()[strings.LastIndex(out.String(), "  assets ")+1:]; step.want["assets"] != "" && strings.HasSuffix(table, "up to date\n") != (step.want["assets"] == "up to date") {
			t.Errorf("the assets: %q, and in the table %q", step.want["assets"], table)
		}
		got := map[string]string{}
		for line := range strings.Lines(out.String()) {
			step, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
			if _, isShown := got[step]; !isShown {
				got[step] = strings.TrimSpace(reason)
			}
		}
		for name, want := range step.want {
			if got[name] != want {
				t.Errorf("%s: %q, want %q", name, got[name], want)
			}
		}
	}
}

// The go command compiles what symbolic links point to, even directories, but embeds none.
func TestLinksInModules(t *testing.T) {
	t.Parallel()
	dir, elsewhere := repo(t), t.TempDir()
	o := options(dir, bundle.Host())
	o.Explain = true
	remove := func(name string) {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(target, name string) {
		remove(name)
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.Symlink(target, file)); err != nil {
			t.Fatal(err)
		}
	}
	libText := func(text string) string { return fmt.Sprintf("package lib\n\nconst Text = %q\n", text) }
	write(t, filepath.Join(dir, "a", "lib.go"), libText("one"))
	write(t, filepath.Join(elsewhere, "lib.go"), libText("four"))
	write(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nimport \"example.com/x/lib\"\n\nfunc main() { println(lib.Text) }\n")
	outside := "only the go command knows what it compiles: the link lib points to a directory that is not checked for changes"
	for _, step := range []struct {
		name   string
		change func()
		reason string
		output string
	}{
		{"a directory", func() { replace("a", "lib") }, noRecord, "one"},
		{"unchanged", func() {}, "", "one"},
		{"a file in it", func() { write(t, filepath.Join(dir, "a", "lib.go"), libText("two")) }, "a/lib.go changed", "two"},
		{"another directory", func() { write(t, filepath.Join(dir, "b", "lib.go"), libText("three")); replace("b", "lib") }, "b/lib.go is new, lib changed", "three"},
		{"a directory elsewhere", func() { replace(elsewhere, "lib") }, outside, "four"},
		{"a file there", func() { write(t, filepath.Join(elsewhere, "lib.go"), libText("five")) }, outside, "five"},
		{"a directory that is not read", func() {
			write(t, filepath.Join(dir, "node_modules", "c", "lib.go"), libText("six"))
			replace("node_modules/c", "lib")
		}, outside, "six"},
		{"a file", func() { remove("lib"); replace("../a/lib.go", "lib/lib.go") }, noRecord, "two"},
		{"what it contains", func() { write(t, filepath.Join(dir, "a", "lib.go"), libText("seven")) }, "a/lib.go changed, lib/lib.go changed", "seven"},
		{"a file elsewhere", func() { replace(filepath.Join(elsewhere, "lib.go"), "lib/lib.go") }, "lib/lib.go changed", "five"},
		{"unchanged", func() {}, "", "five"},
		{"what it contains", func() { write(t, filepath.Join(elsewhere, "lib.go"), libText("eight!")) }, "lib/lib.go changed", "eight!"},
		{"broken", func() { replace("nowhere", "broken") }, "broken is new", "eight!"},
		{"a device", func() { replace(os.DevNull, "device") }, "device is new", "eight!"},
		{"unchanged", func() {}, "", "eight!"},
		{"an ignored directory", func() { replace(elsewhere, "node_modules") }, "", "eight!"},
	} {
		step.change()
		var out strings.Builder
		o.Progress = &out
		r := mustBuild(t, o)
		want := "runs: " + step.reason
		if step.reason == "" {
			want = "up to date"
		}
		if !strings.Contains(out.String(), want+"\n") || r.Executables[0].UpToDate != (step.reason == "") {
			t.Errorf("%s: want %q, got\n%s", step.name, want, out.String())
		}
		program := filepath.Join(r.Dist, r.Executables[0].File)
		if out, err := exec.CommandContext(t.Context(), program).CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != step.output {
			t.Errorf("%s: the backend printed %q, want %q (%v)", step.name, out, step.output, err)
		}
	}
}

// A build keeps the files of dist that it did not make, and mentions them once.
func TestForeignFilesAreKept(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	write(t, filepath.Join(dir, "dist", "module.js"), "made by another bundler")
	write(t, filepath.Join(dir, "dist", "README.md"), "# X\n") // as this build makes it
	write(t, filepath.Join(dir, "dist", "notes", "mine.txt"), "mine")
	if err := os.Symlink("notes/mine.txt", filepath.Join(dir, "dist", "link")); err != nil {
		t.Fatal(err)
	}
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
	if exists(filepath.Join(r.Dist, "notes")) {
		t.Error("dist contains files of others")
	}
	write(t, filepath.Join(dir, "README.md"), "# Y\n")
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
	write(t, filepath.Join(dir, "README.md"), "# Z\n")
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
	write(t, filepath.Join(dir, "dist"), "mine")
	if _, err := Plugin(t.Context(), options(dir, bundle.Host())); err == nil || !strings.Contains(err.Error(), "it is a file: move it elsewhere") {
		t.Errorf("error %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "dist")); err != nil || string(text) != "mine" {
		t.Errorf("dist contains %q, %v", text, err)
	}
}

func TestKeptFilesStayInTheRepository(t *testing.T) {
	t.Parallel()
	dir, elsewhere := repo(t), t.TempDir()
	write(t, filepath.Join(dir, "dist", "mine\x1b[2J"), "x")
	r := mustBuild(t, options(dir, bundle.Host()))
	if len(r.Warnings) != 1 || strings.ContainsRune(r.Warnings[0], '\x1b') {
		t.Errorf("warnings %q, which control a terminal", r.Warnings)
	}
	write(t, filepath.Join(dir, "dist", "mine"), "x")
	if err := os.RemoveAll(filepath.Join(dir, ".slipway")); err != nil {
		t.Fatal(err)
	}
	before := tree(t, r.Dist)
	if err := os.Symlink(elsewhere, filepath.Join(dir, ".slipway")); err != nil {
		t.Fatal(err)
	}
	if _, err := Plugin(t.Context(), options(dir, bundle.Host())); err == nil || !strings.Contains(err.Error(), "set aside the files in dist that no build wrote") {
		t.Errorf("error %v", err)
	}
	if got := listing(t, elsewhere); len(got) > 0 {
		t.Errorf("wrote %q outside of the repository", got)
	}
	if diff := cmp.Diff(before, tree(t, r.Dist)); diff != "" {
		t.Errorf("dist changed (-before +after):\n%s", diff)
	}
}

// Regardless of when a build is killed, dist is the previous one or the new one, and the
// next build does not treat its files as foreign.
func TestKilledAfterEachStep(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	bundler := &readingBundler{names: []string{"src/module.ts", "src/part.ts"}}
	o := options(dir)
	o.Bundler = bundler
	dist := filepath.Join(dir, "dist")
	mustBuild(t, o)
	for n := range len((&Plan{}).steps()) + 1 {
		write(t, filepath.Join(dist, "note.txt"), "mine")
		before := tree(t, dist)
		write(t, filepath.Join(dir, "src", "part.ts"), strings.Repeat("x", n+1))
		write(t, filepath.Join(dir, "README.md"), strings.Repeat("x", n+1))
		age(t, filepath.Join(dir, "src"))
		p, err := MakePlan(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		staging, err := os.MkdirTemp(dir, stagingPrefix)
		if err != nil {
			t.Fatal(err)
		}
		r := &Result{previous: p.readRecord(), made: newRecord()}
		for _, step := range p.steps()[:n] {
			if err := step(t.Context(), staging, r); err != nil {
				t.Fatal(err)
			}
		}
		killed := tree(t, dist)
		r = mustBuild(t, o)
		if after := tree(t, dist); killed != before && killed != after {
			t.Errorf("after %d steps dist is neither the previous one nor the new one:\n%s", n, cmp.Diff(before, killed))
		}
		notes, err := filepath.Glob(filepath.Join(dir, ".slipway", "kept", "*", "*"))
		if err != nil || len(notes) == 0 || slices.ContainsFunc(notes, func(name string) bool { return filepath.Base(name) != "note.txt" }) {
			t.Errorf("after %d steps the kept files are %q, %v; warnings %q", n, notes, err, r.Warnings)
		}
		if err := os.RemoveAll(filepath.Join(dir, ".slipway")); err != nil {
			t.Fatal(err)
		}
	}
}

// killedEnv makes TestBuildUntilKilled build the repository in it.
const killedEnv = "BUILD_TEST_UNTIL_KILLED"

// TestBuildUntilKilled is the process that TestKilledAnytime kills.
func TestBuildUntilKilled(t *testing.T) {
	dir := os.Getenv(killedEnv)
	if dir == "" {
		t.Skip("it runs in the process that TestKilledAnytime starts")
	}
	o := options(dir)
	o.Bundler, o.Rules = &readingBundler{names: []string{"src/module.ts", "src/part.ts"}}, rules.All()
	for n := 0; ; n++ {
		for _, name := range []string{"src/part.ts", "README.md"} {
			write(t, filepath.Join(dir, name), string(rune('a'+n%2)))
		}
		if _, err := Plugin(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKilledAnytime(t *testing.T) {
	t.Parallel()
	dir := panel(t)
	o := options(dir)
	o.Bundler = &readingBundler{names: []string{"src/module.ts", "src/part.ts"}}
	complete := map[string]bool{}
	for _, text := range []string{"a", "b"} {
		for _, name := range []string{"src/part.ts", "README.md"} {
			write(t, filepath.Join(dir, name), text)
		}
		complete[tree(t, mustBuild(t, o).Dist)] = true
	}
	for range 12 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBuildUntilKilled$")
		cmd.Env = append(os.Environ(), killedEnv+"="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := time.Duration(30+rand.N(150)) * time.Millisecond
		time.Sleep(after)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatalf("the process ended by itself: %v", err)
		}
		_ = cmd.Wait()
		p := &Plan{Repo: bundle.Repo{Root: dir, Dist: filepath.Join(dir, "dist")}}
		if err := p.recover(); err != nil { // as the next build does
			t.Fatal(err)
		}
		if !complete[tree(t, p.Repo.Dist)] {
			t.Errorf("killed after %v, dist is neither of the builds:\n%s", after, tree(t, p.Repo.Dist))
		}
	}
	if r := mustBuild(t, o); slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "no build made") }) {
		t.Errorf("the next build takes dist for the work of others: %q", r.Warnings)
	}
}
