package rules

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

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
	imports := "import './b/c/a';\n"
	for _, name := range []string{"a.test.ts", "b/a.spec.tsx", "__mocks__/a.ts", "mocks/a.ts", "test/a.ts", "a.mock.ts", "node_modules/a/a.ts", "a.js"} {
		addFile(name, tsCode)(p)
		imports += "import './" + name + "';\n"
	}
	addFile("module.js", imports+"export const plugin = 1;\n")(p)
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
	addFile("code.ts", "console.log('a);\n")(p)
	addFile("pkg/main.go", "package main\n\nfunc main() { fmt.Println( }\n")(p)
	want := map[string]string{
		"console-logging":   "cannot read src/code.ts:1:13: string without an end",
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

// TestShippedCode requires that code which no executable and no bundle contains is not reported, except in the preset
// catalog.
func TestShippedCode(t *testing.T) {
	t.Parallel()
	const prints, uses = "package %s\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n", "package main\n\nimport \"example.com/x/pkg/a\"\n\nfunc main() { a.F() }\n"
	const logs = "export const plugin = console.log(1);\n"
	for _, c := range []struct {
		name      string
		files     []string // and their texts
		isCatalog bool
		want      string
	}{
		{"imported by main", []string{"go.mod", "module example.com/x\n", "pkg/main.go", uses, "pkg/a/a.go", fmt.Sprintf(prints, "a")}, false, "pkg/a/a.go"},
		{"imported by tests", []string{"go.mod", "module example.com/x\n", "pkg/main.go", uses, "pkg/b/b.go", fmt.Sprintf(prints, "b")}, false, ""},
		{"another main", []string{"go.mod", "module example.com/x\n", "pkg/main.go", uses, "pkg/b/b.go", fmt.Sprintf(prints, "main")}, false, ""},
		{"the catalog's rule", []string{"go.mod", "module example.com/x\n", "pkg/main.go", uses, "pkg/b/b.go", fmt.Sprintf(prints, "b")}, true, "pkg/b/b.go"},
		{"no go.mod", []string{"pkg/main.go", uses, "pkg/b/b.go", fmt.Sprintf(prints, "b")}, false, "pkg/b/b.go"},
		{"a tool beside a frontend", []string{"generator/go.mod", "module b\n", "generator/main.go", fmt.Sprintf(prints, "main")}, false, ""},
		{"the catalog's rule for tools", []string{"generator/go.mod", "module b\n", "generator/main.go", fmt.Sprintf(prints, "main")}, true, "generator/main.go"},
		{"another module", []string{"go.mod", "module example.com/x\n", "pkg/x/main.go", uses, "pkg/b/go.mod", "module b\n", "pkg/b/b.go", fmt.Sprintf(prints, "main")}, false, ""},
		{"imported by the module", []string{"src/module.ts", "export { plugin } from './a';\n", "src/a.ts", logs}, false, "src/a.ts"},
		{"imported by tests alone", []string{"src/module.ts", "import './b';\n", "src/a.ts", logs}, false, ""},
		{"the catalog's rule for code", []string{"src/module.ts", "import './b';\n", "src/a.ts", logs}, true, "src/a.ts"},
		{"no entry", []string{"src/a.ts", logs}, false, "src/a.ts"},
		{"an index, lazily", []string{"src/module.ts", "lazy(() => import(/* a page */ '@/pages'));\n", "src/pages/index.tsx", logs}, false, "src/pages/index.tsx"},
		{"a worker", []string{"src/module.ts", "new Worker(new URL('./a.worker.ts', import.meta.url));\n", "src/a.worker.ts", logs}, false, "src/a.worker.ts"},
		{"a directory", []string{"src/module.ts", "const get = (name) => import(`./pages/${name}`);\n", "src/pages/a.tsx", logs}, false, "src/pages/a.tsx"},
		{"an alias of another name", []string{"src/module.ts", "import '@ui';\n", "src/components/index.ts", logs,
			"tsconfig.json", `{"compilerOptions": {"paths": {"@ui": ["src/components"]}}}`}, false, "src/components/index.ts"},
		{"an entry of a bundler", []string{"src/module.ts", "", "src/a.ts", logs, "webpack.config.ts", "entry: { a: './a.ts' }"}, false, "src/a.ts"},
		{"extensions of ES modules", []string{"src/module.ts", "require('../src/a.js');\n", "src/a.ts", logs}, false, "src/a.ts"},
		{"no main", []string{"go.mod", "module example.com/x\n", "pkg/b/b.go", fmt.Sprintf(prints, "b")}, false, "pkg/b/b.go"},
	} {
		tree := fstest.MapFS{"src/plugin.json": {Data: []byte(completePanel)}}
		for i := 0; i < len(c.files); i += 2 {
			tree[c.files[i]] = &fstest.MapFile{Data: []byte(c.files[i+1])}
		}
		r := runWith(t, tree, validate.Options{Rules: only("fmt-print-logging", "console-logging"), IsCatalog: c.isCatalog})
		got := ""
		for _, f := range r.Findings {
			got += f.File
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestQueryKinds requires a warning for a data source that hosts offer nowhere, once and unless its plugin.json
// says what its queries return.
func TestQueryKinds(t *testing.T) {
	t.Parallel()
	const class = "export class A extends DataSourceApi {}\nexport class B extends DataSourceWithBackend {}\n"
	const none = "hosts do not offer the data source for queries: plugin.json sets none of metrics, annotations, logs, tracing, alerting"
	for _, c := range []struct{ name, key, kind, code, want string }{
		{"none", "", "datasource", class, none},
		{"one", "tracing", "datasource", class, ""},
		{"a member says which", "", "datasource", "class A extends DataSourceApi {\n  annotations = {};\n}\n",
			`the data source has a member annotations, but plugin.json does not set "annotations"`},
		{"an app", "", "app", class, ""},
		{"no class", "", "datasource", "export const plugin = 1;\n", ""},
	} {
		p := completePlugin(t, validate.Source)
		setIn("plugin.json", "/type", c.kind)(p)
		if c.key != "" {
			setIn("plugin.json", "/"+c.key, true)(p)
		}
		addFile("code.ts", c.code)(p)
		var said []string
		for _, f := range p.run(t, only("capability-missing")).Findings {
			said = append(said, f.Message)
		}
		if got := strings.Join(said, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
