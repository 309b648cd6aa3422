package build

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// bundles returns a bundler that writes a text to module.js, with an extension.
func bundles(text string) fakeBundler {
	return fakeBundler{bundle: Module{Files: map[string][]byte{"module.js": []byte(text)}, Extensions: []byte(`[{"title": "t"}]`)}}
}

// TestOnly requires that a build of one side leaves the files of the other as they are.
func TestOnly(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	testkit.WriteFile(t, filepath.Join(dir, "src", "module.js"), "export const plugin = 1;\n")
	o := options(dir, bundle.Host())
	o.Bundler = bundles("one")
	r := mustBuild(t, o)
	executable := bundle.Host().Executable("gpx_x")
	read := func(name string) string {
		t.Helper()
		data := testkit.Must(os.ReadFile(filepath.Join(r.Dist, name)))(t)
		return string(data)
	}
	compiled := read(executable)
	testkit.WriteFile(t, filepath.Join(r.Dist, "chunk.js"), "of the frontend")
	signed := filepath.Join(r.Dist, "MANIFEST.txt") // for the previous dist
	testkit.WriteFile(t, signed, "signed")

	o.Only, o.Bundler = OnlyBackend, bundles("two")
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { println(2) }\n")
	testkit.WriteFile(t, filepath.Join(dir, "README.md"), "# two\n")
	testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), strings.Replace(metadata, "1.2.3", "1.2.4", 1))
	mustBuild(t, o)
	if read(executable) == compiled || exists(signed) {
		t.Error("backend only: the executable was not built, or the signature was kept")
	}
	if read("module.js") != "one" || read("chunk.js") != "of the frontend" || read("README.md") != "# X\n" {
		t.Errorf("backend only: the frontend changed:\n%s", testkit.Tree(t, r.Dist))
	}
	if m := read("plugin.json"); !strings.Contains(m, "1.2.4") || !strings.Contains(m, `"extensions"`) {
		t.Errorf("backend only: plugin.json needs the new version, and the extensions of the frontend:\n%s", m)
	}

	o.Only, compiled = OnlyFrontend, read(executable)
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "broken")
	testkit.WriteFile(t, signed, "signed")
	o.Platforms = []bundle.Platform{{OS: "linux", Arch: "s390x"}}
	mustBuild(t, o)
	if read(executable) != compiled {
		t.Error("frontend only: the executable changed")
	}
	want := []string{"README.md", executable, "img", "module.js", "plugin.json"}
	if got := listing(t, r.Dist); !slices.Equal(got, want) || read("module.js") != "two" || read("README.md") != "# two\n" {
		t.Errorf("frontend only: the frontend was not built, got %q:\n%s", got, testkit.Tree(t, r.Dist))
	}

	// What the build of the frontend kept is still up to date.
	o.Only, o.Platforms = "", []bundle.Platform{bundle.Host()}
	testkit.WriteFile(t, filepath.Join(dir, "pkg", "main.go"), "package main\n\nfunc main() { println(2) }\n")
	if e := mustBuild(t, o).Executables[0]; !e.UpToDate {
		t.Error("the executable is not up to date after a build of the frontend")
	}

	testkit.OK(t, os.RemoveAll(r.Dist))
	o.Only = OnlyBackend
	mustBuild(t, o)
	if got, want := listing(t, r.Dist), []string{executable, "plugin.json"}; !slices.Equal(got, want) {
		t.Errorf("backend only, without a dist: %q, want %q", got, want)
	}
}
