package build

import (
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestExplainGo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "plugin")
	testkit.WriteFile(t, filepath.Join(dir, "..", "go.work"), "go 1.26\n")
	testkit.WriteFile(t, filepath.Join(dir, "go.mod"), "module m\n\nrequire a.b/c v1.2.3\n\nrequire (\n\ta.b/d v1.0.0 // indirect\n)\n")
	const unreachable = `": dial tcp: lookup proxy.golang.org on 10.0.0.1:53: dial udp 10.0.0.1:53: connect: network is unreachable`
	for name, c := range map[string]struct{ output, want string }{
		"an error of the code": {"# a/pkg\npkg/a.go:1:2: undefined: x", "# a/pkg\npkg/a.go:1:2: undefined: x"},
		"offline": {
			"go: downloading a.b/c v1.0.0\ngo: downloading a.b/d v1.0.0\n" +
				`/x/a.go:11:2: a.b/d@v1.0.0: Get "https://proxy.golang.org/a.b/d/@v/v1.0.0.zip` + unreachable + "\n" +
				`/x/a.go:12:2: a.b/c@v1.0.0: Get "https://proxy.golang.org/a.b/c/@v/v1.0.0.zip` + unreachable + "\n" +
				`/x/b.go:12:2: a.b/c@v1.0.0: Get "https://proxy.golang.org/a.b/c/@v/v1.0.0.zip` + unreachable,
			"Go could not download 2 modules from proxy.golang.org (network is unreachable): connect to the network, or set GOPROXY\n" +
				"  a.b/c@v1.0.0\n  a.b/d@v1.0.0",
		},
		"offline, without the go.mod of a module": {
			`go: a.b/c@v1.0.0: reading a.b/c/go.mod: Get "https://p.example/a.b/c/@v/v1.0.0.mod": EOF`,
			"Go could not download 1 module from p.example (EOF): connect to the network, or set GOPROXY\n  a.b/c@v1.0.0",
		},
		"a package that a required module does not have": {
			"a.go:1:2: no required module provides package a.b/c/x/y; to add it:\n\tgo get a.b/c/x/y\nb.go:1:2: undefined: z",
			"a.go:1:2: a.b/c has no package x/y in the version that go.mod requires: correct the import, or upgrade the module\nb.go:1:2: undefined: z",
		},
		"a package in no required module": {
			"a.go:1:2: no required module provides package a.b/cx/y; to add it:\n\tgo get a.b/cx/y",
			"a.go:1:2: no required module provides package a.b/cx/y; to add it:\n\tgo get a.b/cx/y",
		},
		"a module that go.work lacks": {
			"directory pkg is contained in a module that is not one of the workspace modules listed in go.work. You can add the module to the workspace using:\n\tgo work use .",
			`../go.work does not list the module of this plugin: run "go work use ." in its directory, or set GOWORK=off`,
		},
		"packages that go.work lacks": {
			"pattern ./...: directory prefix . does not contain modules listed in go.work or their selected dependencies",
			`../go.work does not list the module of this plugin: run "go work use ." in its directory, or set GOWORK=off`,
		},
		"a damaged go.sum": {"malformed go.sum:\ngo.sum:3: wrong number of fields 2",
			"malformed go.sum:\ngo.sum:3: wrong number of fields 2\nhelp: restore go.sum, or delete it and run go mod tidy"},
		"an empty go.sum": {
			"a.go:1:2: missing go.sum entry for module providing package a.b/c; to add:\n\tgo get m\na.go:2:2: missing go.sum entry for module providing package a.b/d; to add:\n\tgo get m",
			"a.go:1:2: missing go.sum entry for module providing package a.b/c; to add:\n\tgo get m\nhelp: run go mod tidy, which adds the entries for all 2 imports",
		},
		"no replacement": {
			"pkg/a.go:1:2: a.b/c@v0.0.0: replacement directory ../gone does not exist\npkg/b.go:1:2: a.b/c@v0.0.0: replacement directory ../gone does not exist",
			"go.mod replaces a.b/c with the directory ../gone, which does not exist: correct the replace directive",
		},
		"old Go": {
			"go: go.mod requires go >= 1.99.0 (running go 1.26.0; GOTOOLCHAIN=local)",
			"go: go.mod requires go >= 1.99.0 (running go 1.26.0; GOTOOLCHAIN=local)\nhelp: install that version of Go from go.dev/dl, or lower the go directive in go.mod",
		},
		"files that need C": {
			"main.go:3:8: build constraints exclude all Go files in /m/duckdb",
			"main.go:3:8: build constraints exclude all Go files in /m/duckdb\n" +
				`help: if its files need C, write "backend: {cgo: true}" in slipway.yaml, and build on a machine with a C compiler for the platform`,
		},
		"no such platform": {
			"go: unsupported GOOS/GOARCH pair linux/mips64x",
			"go: unsupported GOOS/GOARCH pair linux/mips64x\nhelp: choose one of those that \"go tool dist list\" prints",
		},
	} {
		if got := ExplainGo(dir, c.output); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}
