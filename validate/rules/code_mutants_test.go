package rules

import (
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// allow adds a range of versions of existing hosts to the complete plugin.
func allow(text string) func(*plugin) {
	return replaceText("plugin.json", `"serviceDependency"`, `"grafanaDependency": `+strconv.Quote(text)+`, "serviceDependency"`)
}

// codeMutants returns the mutants of the rules for code: statements in Go or TypeScript.
func codeMutants() []mutant {
	var all []mutant
	for _, c := range []struct{ rule, statement, at string }{
		{"access-os-environment", `os.Clearenv()`, "os.Clearenv"},
		{"access-os-environment", `_ = func() { println(os.ExpandEnv("$TZ")) }`, "os.ExpandEnv"},
		{"access-forbidden-os-environment", `tz := "TZ"; os.Unsetenv(tz)`, "os.Unsetenv(tz)"},
		{"access-forbidden-os-environment", `os.Setenv("GF_SECURITY_SECRET_KEY", "")`, `os.Setenv("GF_SECURITY_SECRET_KEY", "")`},
		{"access-file-system-with-fs", `fs.WalkDir(nil, ".", nil)`, "fs.WalkDir"},
		{"access-file-system-with-filepath", `filepath.WalkDir(".", nil)`, "filepath.WalkDir"},
		{"access-file-system-with-os", `go func() { os.MkdirTemp("", "") }()`, "os.MkdirTemp"},
		{"access-syscall", `syscall.Getpid()`, "syscall.Getpid"},
		{"fmt-print-logging", `defer fmt.Printf("%d", 1)`, "fmt.Printf"},
	} {
		code := "package main\n\nimport (\n\t\"fmt\"\n\t\"io/fs\"\n\t\"os\"\n\t\"path/filepath\"\n\t\"syscall\"\n)\n\n" +
			"func main() {\n\t" + c.statement + "\n}\n"
		all = append(all, mutant{name: c.statement, form: validate.Source, file: "pkg/main.go", mutate: addFile("pkg/main.go", code),
			rule: c.rule, at: "text", what: c.at})
	}
	const sqlds = "package main\n\nimport _ \"github.com/grafana/sqlds\"\n"
	all = append(all, mutant{name: "sqlds", form: validate.Source, file: "pkg/main.go", mutate: addFile("pkg/main.go", sqlds),
		rule: "outdated-sqlds-version", at: "text", what: `"github.com/grafana/sqlds"`})

	for _, file := range []string{"code.ts", "code.json", "code.scss"} {
		const conflict = "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"
		all = append(all, mutant{name: "conflict in " + file, form: validate.Source, file: file, mutate: addFile(file, conflict),
			rule: "merge-conflict", at: "text", what: strings.TrimSuffix(conflict, " b\n")})
	}

	for _, code := range []string{
		"const plugin = 1;", "export const panel = plugin;", "export { plugin as panel } from './panel';", "export abstract class plugins {}",
		"export const a = 1, { b } = c;",
	} {
		first, _, _ := strings.Cut(code, " ")
		all = append(all, mutant{name: code, form: validate.Source, file: "module.ts", mutate: addFile("module.ts", code+"\n"),
			rule: "plugin-not-exported", at: "text", what: first})
	}

	for _, c := range []struct{ code, at string }{
		{"func f(r *backend.QueryDataRequest) string { return (r.PluginContext).Namespace }", "(r.PluginContext).Namespace"},
		{"func f(c *backend.PluginContext) string { return c.Namespace }", "c.Namespace"},
		{"func f(c context.Context) { p := backend.PluginConfigFromContext(c); _, _ = p.GrafanaConfig.AppURL() }", "p.GrafanaConfig.AppURL"},
		{"func f(c *backend.GrafanaCfg) { go func() { _, _ = c.SQL() }() }", "c.SQL"},
		{"func (t) ConvertObjects(_ context.Context, r *backend.ConversionRequest) (a *backend.ConversionResponse, err error) { return }",
			"ConvertObjects"},
	} {
		code := "package main\n\nimport (\n\t\"context\"\n\n\t" + strconv.Quote(grafanaSDK+"/backend") + "\n)\n\n" +
			"type t struct{}\n\n" + c.code + "\n"
		all = append(all, mutant{name: c.code, form: validate.Source, file: "pkg/main.go",
			mutate: both(allow(">=10.2.0"), addFile("pkg/main.go", code)), rule: "backend-outside-range", at: "text", what: c.at})
	}
	for _, statement := range []string{
		"get(`/api/datasources/${this.id}/resources/x`)", "get(\"api/tsdb/query\")", "get(`/api/user/stars/dashboard/${a.b}`)",
		"get('/api/auth/keys')", "get(`api/datasources/proxy/${a?.datasourceID}`)", "get('/api/serviceaccounts/migrate/1')",
	} {
		path := strings.TrimRight(statement[len("get('"):], "'`\")")
		all = append(all, mutant{name: statement, form: validate.Source, file: "code.ts",
			mutate: both(allow(">=10.4.0"), addFile("code.ts", statement+";\n")), rule: "route-outside-range", at: "text", what: path})
	}

	const internals = "'__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED'"
	for _, c := range []struct{ rule, statement, at string }{
		{"console-logging", "if (a) { console?.dir?.(a) }", "console?.dir"},
		{"console-logging", "const f = <T,>(a: T) => console.log(`${a}`)", "console.log"},
		{"native-browser-dialogs", "x = a ? alert(b) : c", "alert"},
		{"native-browser-dialogs", "(<any>b).prompt(c); window['prompt'](d)", "'prompt'"},
		{"window-open-without-noopener", "window.open(a, '_blank', 'noreferrer')", "open"},
		{"window-properties", "delete window?.grafanaRuntime.x", "grafanaRuntime"},
		{"direct-window-location-access", "a = window?.location?.href + '/b'", "location?.href"},
		{"no-api-ds-query-endpoint", "get('api/ds/query')", "api/ds/query"},
		{"backend-datasource-should-not-implement-testdatasource",
			"class A extends DataSourceWithBackend { testDatasource = async () => {} }", "testDatasource"},
		{"topnav-toggle", "if (!a?.featureToggles?.topnav) {}", "featureToggles?.topnav"},
		{"access-old-react-internals", "React[" + internals + "]", internals},
		{"deprecated-gf-form-css-classes", "a.querySelector('.gf-form--grow > b')", "gf-form--grow"},
		{"no-direct-css-imports", `import "~a/b.scss"`, `"~a/b.scss"`},
		{"import-outside-range", "import { ScrollContainer as S, Button } from '@grafana/ui';\nf(Button, S)", "ScrollContainer"},
		{"import-outside-range", "import * as ui from '@grafana/ui';\nconst a = ui.Combobox", "Combobox"},
		{"import-outside-range", "import { Bottun } from '@grafana/ui';\nBottun()", "Bottun"},
		{"import-deprecated", "import { ArrayVector } from '@grafana/data';\nconst a = new ArrayVector([1])", "ArrayVector"},
		{"ts-ignore-suppress", "/*\n * @ts-ignore\n */\na = b", "@ts-ignore"},
	} {
		all = append(all, mutant{name: c.statement, form: validate.Source, file: "code.ts", mutate: addFile("code.ts", c.statement+";\n"),
			rule: c.rule, at: "text", what: c.at})
	}
	return all
}
