package dev

import (
	"path/filepath"
	"testing"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/preview"
	"github.com/slipway-dev/slipway/validate"
)

func TestParts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "magefile.go"), "package dev\n")
	testkit.WriteFile(t, filepath.Join(root, "embeds", "x.go"), "package embeds\n\nimport _ \"embed\"\n\n//go:embed data\nvar x string\n")
	s := &session{
		repo:  bundle.Repo{Root: root, Source: filepath.Join(root, "src"), Dist: filepath.Join(root, "dist")},
		files: files{inputs: []string{"src/img/imported.svg", "lib/data.txt"}, own: filepath.Join(root, "out")},
	}
	backend, frontend, other := parts{backend: true}, parts{frontend: true}, parts{other: true}
	for file, want := range map[string]parts{
		"pkg/main.go":             backend,
		"pkg/main_test.go":        {},
		"go.mod":                  backend,
		"go.sum":                  backend,
		"embeds/deep/data":        backend,
		"embeds/data.json":        {backend: true, frontend: true},
		"src/module.ts":           frontend.with(other),
		"src/components/a.tsx":    frontend.with(other),
		"lib/a.ts":                frontend,
		"lib/a.sass":              frontend,
		"lib/a.less":              frontend,
		"lib/data.txt":            frontend,
		"lib/other.txt":           {},
		"tsconfig.json":           frontend,
		"package.json":            {frontend: true, packages: true, other: true},
		"yarn.lock":               {frontend: true, packages: true, other: true},
		"npm-shrinkwrap.json":     {frontend: true, packages: true, other: true},
		"src/package.json":        frontend.with(other),
		"src/plugin.json":         other,
		"src/nested/plugin.json":  other,
		"src/img/logo.svg":        other,
		"src/img/imported.svg":    frontend.with(other),
		"README.md":               other,
		"LICENSE":                 other,
		"slipway.yaml":            everything(),
		"out/module.js":           {},
		"docs/a.md":               {},
		"debug.log":               {},
		"src/4913":                {},
		"src/module.ts~":          {},
		"src/#module.ts#":         {},
		"src/a.ts___jb_tmp___":    {},
		"src/img/logo.svg.tmp":    {},
		"src/img/.goutputstream1": {}, // ignored below
		"dist/module.js":          {},
		"node_modules/a/index.js": {},
		".slipway/data/x.db":      {},
		"src/node_modules/b.js":   {},
	} {
		e := fsnotify.Event{Name: filepath.Join(root, filepath.FromSlash(file)), Op: fsnotify.Write}
		testkit.WriteFile(t, e.Name, "")
		if got := s.partsOf(nil, e); got != want {
			t.Errorf("%s: %+v, want %+v", file, got, want)
		}
		e.Op = fsnotify.Chmod
		if got := s.partsOf(nil, e); got != (parts{}) {
			t.Errorf("chmod of %s: %+v", file, got)
		}
	}
	if got := s.partsOf(nil, fsnotify.Event{Name: filepath.Join(root, "src", "gone"), Op: fsnotify.Remove}); got != everything() {
		t.Errorf("a removed directory: %+v", got)
	}
}

// The files of a new directory count, even if they were there before it was watched.
func TestNewDirectory(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := &session{repo: bundle.Repo{Root: root, Source: filepath.Join(root, "src"), Dist: filepath.Join(root, "dist")}}
	w := testkit.Must(fsnotify.NewWatcher())(t)
	defer w.Close()
	testkit.WriteFile(t, filepath.Join(root, "new", "deep", "x.go"), "package deep\n")
	got := s.partsOf(w, fsnotify.Event{Name: filepath.Join(root, "new"), Op: fsnotify.Create})
	if got != (parts{backend: true}) || len(w.WatchList()) != 2 {
		t.Errorf("%+v, watching %v", got, w.WatchList())
	}
	if got := s.partsOf(w, fsnotify.Event{Name: filepath.Join(root, "new"), Op: fsnotify.Write}); got != (parts{}) {
		t.Errorf("a write to a directory: %+v", got)
	}
}

func TestServing(t *testing.T) {
	t.Parallel()
	for want, states := range map[string][]loader.State{
		"the plugin has errors: waiting for changes":              nil,
		"the backend is not running: waiting for changes":         {loader.StateRunning, loader.StateCrashLoop},
		"the change has errors: the previous build keeps serving": {loader.StateRunning, loader.StateNoBackend},
	} {
		if got := serving(states); got != want {
			t.Errorf("%v: %q, want %q", states, got, want)
		}
	}
}

// TestReasons checks that the reasons of failures name files relative to the repository.
func TestReasons(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	s := &session{repo: bundle.Repo{Root: root}}
	other := filepath.Join(t.TempDir(), "plugin.json")
	for path, want := range map[string]string{
		filepath.Join(root, "dist", "plugin.json"): "dist/plugin.json",
		other: filepath.ToSlash(other),
	} {
		finding := validate.Finding{Place: validate.Place{File: filepath.ToSlash(path), Line: 2, Column: 3}, Message: "missing id"}
		if got, want := s.reasonOf(finding), want+":2:3: missing id"; got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// A panic that a backend's log has is shown at its place in the repository.
func TestPanicIn(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	testkit.WriteFile(t, filepath.Join(root, "pkg", "a.go"), "package a\n\nvar x = list[7]\n")
	want := preview.Message{File: "pkg/a.go", Line: 3, Source: "var x = list[7]", Text: "panic: oh (x)"}
	elsewhere := preview.Message{File: "example.com/b/b.go", Line: 9, Text: "panic: oh"}
	for message, want := range map[string]preview.Message{
		"panic: oh (x) (example.com/a/pkg/a.go:3)\n\ngoroutine 1":                          want,
		"panic: oh (x) (" + filepath.ToSlash(filepath.Join(root, "pkg", "a.go")) + ":3)\n": want,
		"panic: oh (example.com/b/b.go:9)":                                                 elsewhere,
		"a query failed":                                                                   {},
		"read a.go:3 (twice)":                                                              {},
	} {
		if got, ok := panicIn(root, message); got != want || ok != (want != preview.Message{}) {
			t.Errorf("%q: %+v", message, got)
		}
	}
}
