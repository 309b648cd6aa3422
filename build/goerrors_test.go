package build

import "testing"

func TestExplainGo(t *testing.T) {
	t.Parallel()
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
		"no replacement": {
			"pkg/a.go:1:2: a.b/c@v0.0.0: replacement directory ../gone does not exist\npkg/b.go:1:2: a.b/c@v0.0.0: replacement directory ../gone does not exist",
			"go.mod replaces a.b/c with the directory ../gone, which does not exist: correct the replace directive",
		},
		"old Go": {
			"go: go.mod requires go >= 1.99.0 (running go 1.26.0; GOTOOLCHAIN=local)",
			"go: go.mod requires go >= 1.99.0 (running go 1.26.0; GOTOOLCHAIN=local)\nhelp: install that version of Go from go.dev/dl, or lower the go directive in go.mod",
		},
		"no such platform": {
			"go: unsupported GOOS/GOARCH pair linux/amd46",
			"go: unsupported GOOS/GOARCH pair linux/amd46\nhelp: \"go tool dist list\" prints the platforms that there are",
		},
	} {
		if got := explainGo(c.output); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c.want)
		}
	}
}
