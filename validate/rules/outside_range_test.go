package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// TestGuards requires that a use that the code can do without is an info, and that a member of the same name
// of another package or variable is not reported.
func TestGuards(t *testing.T) {
	t.Parallel()
	const file, script = "pkg/main.go", "code.ts"
	for _, c := range []struct {
		name, file, code string
		want             validate.Severity // "" is no finding
	}{
		{"returned error", file, `func f(c *backend.GrafanaCfg) error { u, err := c.AppURL(); if err != nil { return err }; _ = u; return nil }`,
			validate.Warning},
		{"default", file, `func f(c *backend.GrafanaCfg) (n int) { n, err := c.ConcurrentQueryCount(); if err != nil { n = 10 }; return n }`,
			validate.Info},
		{"only if there is one", file, `func f(c *backend.GrafanaCfg) { if u, err := c.AppURL(); err == nil { println(u) } }`, validate.Info},
		{"version of the host", file, `func f(r backend.PluginContext) { if r.UserAgent.GrafanaVersion() > "13" { println(r.Namespace) } }`,
			validate.Info},
		{"empty", file, `func f(r backend.PluginContext) { if namespace := r.Namespace; namespace != "" { println(namespace) } }`, validate.Info},
		{"other value compared", file, `func f(r backend.PluginContext, a string) { if a != "" { println(r.Namespace) } }`, validate.Warning},
		{"other type", file, `type c struct{ Namespace string }; func f(r *c) string { return r.Namespace + string(backend.OrgID) }`, ""},
		{"other variable", file, `func f(backend.PluginContext) { c := g(); c.AppURL(); println(c.Namespace) }`, ""},
		{"circle of types", file, `func f[T U, U T](a T, b V) { a.Namespace(); println(b.Namespace, backend.OrgID) }; var V W; var W V`, ""},
		{"function", file, `func ValidateAdmission(a int, r *backend.AdmissionRequest) {}`, ""},
		{"other route", script, "get(a.uid ? `/api/datasources/uid/${a.uid}` : `/api/datasources/${a.id}`)", validate.Info},
		{"route of a uid", script, "get(`/api/datasources/proxy/${dsUid}/x`); get(`/api/datasources/${uid}`); get('/api/datasources/' + id)", ""},
		{"route of a service", script, "get(url + '/api/tsdb/query'); get(`${url}/api/tsdb/query`); /* '/api/tsdb/query' */", ""},
		{"route of a service", file, `func f(backend.PluginContext, url string) { get(url + "/api/tsdb/query") }`, ""},
	} {
		p := completePlugin(t, validate.Source)
		allow(">=10.0.0")(p)
		code := c.code + "\n"
		if c.file == file {
			code = "package main\n\nimport \"" + grafanaSDK + "/backend\"\n\n" + code
		}
		addFile(c.file, code)(p)
		got := validate.Severity("")
		for _, f := range p.run(t, All()).Findings {
			if strings.HasSuffix(f.Rule, "-outside-range") && got != validate.Warning {
				got = f.Severity
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestNarrowed requires that the fix of a range admits nothing that the author excluded, and that a range of versions
// that nothing is known of is not said to be true.
func TestNarrowed(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		">=9.0.0":                   `change the range to ">=9.0.0 <13.0.0"`,
		">=9.0.0 < 14.0.0":          `change the range to ">=9.0.0 <13.0.0"`,
		">=12.0.0 <12.2.0":          "",
		">=9.0.0 <11.0.0||>=12.0.0": "without a fix",
		"^9.0.0 || >=12.0.0":        "without a fix",
		">=13.0.0":                  "without a fix",
		">=14.0.0":                  "skipped: the range has only versions after ",
		">=6.0.0 <7.0.0":            "",
	} {
		p := completePlugin(t, validate.Source)
		allow(declared)(p)
		addFile("code.ts", "import { Graph } from '@grafana/ui';\nf(Graph);\n")(p)
		r := p.run(t, only("import-outside-range"))
		got := ""
		for _, f := range r.Findings {
			if got = "without a fix"; f.Fix != nil {
				got = f.Fix.Title
			}
		}
		for _, s := range r.Skips {
			got = "skipped: " + s.Reason
		}
		if got != want && (!strings.HasPrefix(want, "skipped") || !strings.HasPrefix(got, want)) {
			t.Errorf("%s: %q, want %q", declared, got, want)
		}
	}
}

// TestCompiledCode plants code in source and, as a build compiles it, in dist and in a zip. What the nearest range of versions does not have is
// reported in each place, whatever plugin the code belongs to.
func TestCompiledCode(t *testing.T) {
	t.Parallel()
	const combobox = "@grafana/ui exports Combobox in 11.5 and later, but the plugin allows "
	for _, c := range []struct{ name, dir, outer, nested, source, built, want string }{
		{"import", "", ">=10.3.0", "", "import { Combobox } from '@grafana/ui';\nf(Combobox);\n",
			`define(["@grafana/ui"],function(a){f(a.Combobox)})`, combobox + "10.3 to 11.4"},
		{"pattern", "", ">=10.3.0", "", "import * as ui from '@grafana/ui';\nconst { Combobox } = ui;\nf(Combobox);\n",
			`define(["@grafana/ui"],function(a){const b=1,{Combobox:c}=a;f(c)})`, combobox + "10.3 to 11.4"},
		{"route", "", ">=10.3.0", "", "get('/api/tsdb/query');\n", `define([],function(){get("/api/tsdb/query")})`,
			"/api/tsdb/query: existing hosts do not serve it from 9.0 on, but the plugin allows 10.3 and later"},
		{"part of the host", "", ">=10.3.0", "", "import { a } from 'app/plugins/sdk';\nf(a);\n",
			`define(["app/plugins/sdk"],function(a){f(a.a)})`, "app/plugins/sdk is shared by hosts <12.0.0, but the plugin allows 12.0 and later"},
		{"nested, range of the outer plugin", "panel/", ">=11.2.0", "", "import { Combobox } from '@grafana/ui';\nf(Combobox);\n",
			`define(["@grafana/ui"],function(a){f(a.Combobox)})`, combobox + "11.2 to 11.4"},
		{"nested, range of its own", "panel/", ">=10.3.0", ">=11.4.0", "import { Combobox } from '@grafana/ui';\nf(Combobox);\n",
			`define(["@grafana/ui"],function(a){f(a.Combobox)})`, combobox + "11.4"},
		{"nested, sufficient range of its own", "panel/", ">=10.3.0", ">=12.0.0", "import { Combobox } from '@grafana/ui';\nf(Combobox);\n",
			`define(["@grafana/ui"],function(a){f(a.Combobox)})`, ""},
		{"nested route, range of the outer plugin", "panel/", ">=10.3.0", "", "get('/api/tsdb/query');\n",
			`define([],function(){get("/api/tsdb/query")})`,
			"/api/tsdb/query: existing hosts do not serve it from 9.0 on, but the plugin allows 10.3 and later"},
		{"nested part of the host", "panel/", ">=11.2.0 <12.0.0", ">=12.0.0", "import { a } from 'app/plugins/sdk';\nf(a);\n",
			`define(["app/plugins/sdk"],function(a){f(a.a)})`, "app/plugins/sdk is shared by hosts <12.0.0, but the plugin allows 12.0 and later"},
	} {
		for _, place := range []validate.Where{validate.Source, validate.Dist, validate.Zip} {
			p := completePlugin(t, place)
			allow(c.outer)(p)
			removeIn(panelFile, "/dependencies/serviceDependency")(p)
			if c.nested != "" {
				setIn(panelFile, "/dependencies/grafanaDependency", c.nested)(p)
			}
			file, code := c.dir+"code.ts", c.source
			if place != validate.Source {
				file, code = c.dir+"module.js", c.built
			}
			addFile(file, code)(p)
			var said []string
			for _, f := range p.run(t, only("import-outside-range", "route-outside-range", "module-not-shared")).Findings {
				said = append(said, f.Message)
				if i := slices.IndexFunc(f.Related, func(r validate.Related) bool { return r.Message == "the range is here" }); i < 0 ||
					path.Base(f.Related[i].File) != bundle.MetadataFile || f.Related[i].Line == 0 {
					t.Errorf("%s in %s: %+v", c.name, place, f.Related)
				}
			}
			if got := strings.Join(said, "\n"); got != c.want {
				t.Errorf("%s in %s: %q, want %q", c.name, place, got, c.want)
			}
		}
	}
}

// TestUnknownName requires an error that stops a build for a name that no version has, unless the plugin may be compiled
// with a version that the table does not have.
func TestUnknownName(t *testing.T) {
	t.Parallel()
	const unknown, ofRange = "@grafana/ui has no export %s in any version", "@grafana/ui does not export %s in the versions that Slipway knows"
	for _, c := range []struct{ name, code, pkg, want, of string }{
		{"misspelled", "import { InlineFeild } from '@grafana/ui';\nf(InlineFeild);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"unlike any", "import { Xyzzyx } from '@grafana/ui';\nf(Xyzzyx);\n", `"@grafana/ui": "^12.0.0"`, unknown, "Xyzzyx"},
		{"member", "import * as ui from '@grafana/ui';\nf(ui.Buton);\n", "", unknown + "; did you mean Button?", "Buton"},
		{"guarded", "import * as ui from '@grafana/ui';\nif (ui.Buton) { f(ui.Buton); }\n", "", unknown + "; did you mean Button?", "Buton"},
		{"newer version", "import { InlineFeild } from '@grafana/ui';\nf(InlineFeild);\n", `"@grafana/ui": "^99.0.0"`, ofRange, "InlineFeild"},
		{"any version", "import { InlineFeild } from '@grafana/ui';\nf(InlineFeild);\n", `"@grafana/ui": "latest"`, ofRange, "InlineFeild"},
		{"older version", "export { InlineFeild } from '@grafana/ui';\n", `"@grafana/ui": "7.5.0"`, "", ""},
		{"type", "import type { InlineFeild } from '@grafana/ui';\nlet a: InlineFeild;\n", "", "", ""},
		{"type of a module", "let a: typeof import('@grafana/ui').InlineFeild, b: import('@grafana/ui').InlineFeild;\n", "", "", ""},
		{"question", "import * as ui from '@grafana/ui';\nf(ui.hasOwnProperty('a'));\n", "", "", ""},
		{"pattern", "import * as ui from '@grafana/ui';\nconst { InlineFeild } = ui;\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"string", "import * as ui from '@grafana/ui';\nf(ui['InlineFeild']);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"import of TypeScript", "import ui = require('@grafana/ui');\nf(ui.InlineFeild);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"require", "const { InlineFeild } = require('@grafana/ui');\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"await", "const { InlineFeild } = await import('@grafana/ui');\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"then", "import('@grafana/ui').then((m) => m.InlineFeild);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"export", "export { InlineFeild } from '@grafana/ui';\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"exported type", "export type { InlineFeild } from '@grafana/ui';\n", "", "", ""},
		{"of another file", "import { InlineFeild } from './lib';\nf(InlineFeild);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"which exports it", "import { Ours } from './lib';\nf(Ours);\n", "", "", ""},
		{"module of another file", "import { ui } from './lib';\nf(ui.InlineFeild);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
		{"another file as a module", "import * as lib from './lib';\nf(lib.InlineFeild, lib.Ours);\n", "", unknown + "; did you mean InlineField?", "InlineFeild"},
	} {
		p := completePlugin(t, validate.Source)
		allow(">=10.3.0")(p)
		addFile("code.ts", c.code)(p)
		addFile("lib.ts", "export * from '@grafana/ui';\nexport * as ui from '@grafana/ui';\nexport const Ours = 1;\n")(p)
		if c.pkg != "" {
			addFile("../package.json", `{"devDependencies": {`+c.pkg+`}}`)(p)
		}
		want := ""
		if c.want != "" {
			want = fmt.Sprintf(c.want, c.of)
		}
		got := ""
		for _, f := range p.run(t, only("import-outside-range")).Findings {
			got = strings.TrimSuffix(f.Message, ", but the plugin allows 10.3 and later")
			if isOfRange := c.want == ofRange; f.IsOfRange != isOfRange || (f.Severity == validate.Info) != (c.name == "guarded") {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}
