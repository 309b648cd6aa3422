package build

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// An update changes exactly the files that a build from scratch would change.
func TestUpdate(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	dist := mustBuild(t, o).Dist
	foreign := filepath.Join(dist, "foreign.txt")
	testkit.WriteFile(t, foreign, "not made by a build") // before the first update, too
	executable := filepath.Join(dist, bundle.Host().Executable("gpx_x"))
	update := func(only Side, want ...string) {
		t.Helper()
		before, err := os.Stat(executable)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		got := mustUpdate(t, o, only)
		if diff := cmp.Diff(append([]string{}, want...), got.Names()); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		if (got.Compiling > 0) != (only != OnlyFrontend || before == nil) {
			t.Errorf("compiling took %s", got.Compiling)
		}
		if after, err := os.Stat(executable); err != nil || before != nil && !got.Backend && !os.SameFile(before, after) {
			t.Errorf("the executable was replaced (%v)", err)
		}
		if _, err := os.Stat(foreign); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(dir, stagingPrefix+"*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
	update("")
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { println(\"edited\") }\n")
	update(OnlyFrontend) // no compilation was requested
	update(OnlyBackend, "backend")
	testkit.WriteFile(t, filepath.Join(dir, "src", "img", "l.svg"), `<svg xmlns="http://www.w3.org/2000/svg"></svg>`)
	update(OnlyFrontend, "assets")
	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define([], () => ({edited: 1}));\n")
	update(OnlyFrontend, "frontend")
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), metadata+"\n\n")
	update(OnlyFrontend, "metadata") // dist keeps the formatting
	testkit.OK(t, os.Remove(executable))
	update(OnlyFrontend, "backend")

	// A file becomes a directory, and the other way around.
	testkit.WriteFile(t, filepath.Join(dir, "src", "data", "a.txt"), "a")
	testkit.WriteFile(t, filepath.Join(dir, "src", "b"), "b")
	update(OnlyFrontend, "assets")
	for _, name := range []string{"data", "b"} {
		testkit.OK(t, os.RemoveAll(filepath.Join(dir, "src", name)))
	}
	testkit.WriteFile(t, filepath.Join(dir, "src", "data"), "a file")
	testkit.WriteFile(t, filepath.Join(dir, "src", "b", "c"), "in a directory")
	update(OnlyFrontend, "assets")

	testkit.OK(t, os.Remove(foreign))
	updated := testkit.Tree(t, dist)
	mustBuild(t, o)
	if diff := cmp.Diff(testkit.Tree(t, dist), updated); diff != "" {
		t.Errorf("a build from scratch (-) and the updates (+) differ:\n%s", diff)
	}

	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define([], () => ({edited: 2}));\n")
	mustUpdate(t, o, "")
	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "define([], () => ({edited: 3}));\n")
	if r := mustBuild(t, o); len(r.Warnings) > 0 {
		t.Errorf("a build keeps what an update wrote: %q", r.Warnings)
	}
}

func mustUpdate(t *testing.T, o Options, only Side) Changes {
	t.Helper()
	o.Update, o.Only = true, only
	return mustBuild(t, o).Changes
}

func TestFailedUpdateKeepsDist(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	o := options(dir, bundle.Host())
	dist := mustBuild(t, o).Dist
	before := testkit.Tree(t, dist)
	testkit.WriteFile(t, filepath.Join(dir, "src", "img", "l.svg"), "<svg/>")
	o.Update = true
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { undefined() }\n")
	if _, err := Plugin(t.Context(), o); err == nil {
		t.Error("an update that does not compile has no error")
	}
	if diff := cmp.Diff(before, testkit.Tree(t, dist)); diff != "" {
		t.Errorf("dist changed (-before +after):\n%s", diff)
	}

	// Half of the files are installed when a directory of somebody else is in the way.
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() {}\n")
	testkit.WriteFile(t, filepath.Join(dir, "src", "z"), "new")
	testkit.WriteFile(t, filepath.Join(dist, "z", "mine"), "mine")
	before = testkit.Tree(t, dist)
	if _, err := Plugin(t.Context(), o); err == nil || !strings.Contains(err.Error(), "replace dist") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(before, testkit.Tree(t, dist)); diff != "" {
		t.Errorf("dist was not restored (-before +after):\n%s", diff)
	}
}
