package rules

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

// TestCodeOfOthers requires that rules for code leave out tests, tools, builds and packages of others.
func TestCodeOfOthers(t *testing.T) {
	t.Parallel()
	const (
		goCode = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(1) }\n"
		tsCode = "console.log(1);\n"
	)
	p := completePlugin(t, validate.Source)
	for _, name := range []string{"pkg/main_test.go", "pkg/vendor/a/a.go", "pkg/testdata/a.go", "Magefile.go", "node_modules/a/a.go"} {
		addFile(name, goCode)(p)
	}
	addFile("pkg/tools.go", "//go:build tools || mage\n\n"+goCode)(p)
	for _, name := range []string{"a.test.ts", "b/a.spec.tsx", "__mocks__/a.ts", "mocks/a.ts", "test/a.ts", "a.mock.ts", "node_modules/a/a.ts", "a.js"} {
		addFile(name, tsCode)(p)
	}
	if got := lines(p.run(t, All())); got != "" {
		t.Error(got)
	}
	addFile("pkg/a_linux.go", "//go:build linux && !ignore\n\n"+goCode)(p)
	addFile("b/c/a.ts", tsCode)(p)
	if got := lines(p.run(t, All())); strings.Count(got, "\n") != 2 {
		t.Errorf("want two findings:\n%s", got)
	}
}

// TestUnreadableCode requires that a rule says which files it could not read.
func TestUnreadableCode(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Source)
	addFile("a.ts", "console.log('a);\n")(p)
	addFile("pkg/main.go", "package main\n\nfunc main() { fmt.Println( }\n")(p)
	want := map[string]string{
		"console-logging":   "cannot read src/a.ts:1:13: string without an end",
		"fmt-print-logging": "cannot read src/pkg/main.go: its syntax is invalid",
	}
	for _, s := range p.run(t, All()).Skips {
		if s.Reason == want[s.Rule] {
			delete(want, s.Rule)
		}
	}
	if len(want) > 0 {
		t.Errorf("no skip with %v", want)
	}
}
