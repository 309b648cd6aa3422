package compat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/rules"
)

const panel = `{"id":"acme-x-panel","type":"panel","dependencies":{"grafanaDependency":"*"}}`

// TestAspects requires rules of every aspect, and a row for every aspect.
func TestAspects(t *testing.T) {
	t.Parallel()
	of := map[string]bool{}
	for _, r := range rules.All() {
		of[r.Aspect] = true
	}
	delete(of, "")
	if got := slices.Sorted(maps.Keys(of)); !slices.Equal(got, slices.Sorted(slices.Values(aspects()))) {
		t.Errorf("rules have the aspects %q", got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	const old = "var c=a.__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED.ReactCurrentOwner,d={key:!0,ref:!0};"
	for _, c := range []struct {
		name, path      string
		want, suggested string // want has the rows that are not yes everywhere
		found           string // in a finding
		files           map[string]string
	}{
		{"source", "", "imports no yes no; modules ? ? ?; react ? ? ?", ">=11.5.0 <13.0.0", "[10.4] src/module.tsx:1:10 @grafana/ui exports Combobox in 11.5 and later", map[string]string{
			"src/plugin.json": panel, "src/module.tsx": "import { Combobox, Graph } from '@grafana/ui';\nf(Combobox, Graph);\n",
		}},
		{"a path below", "x", "imports no no no; modules ? ? ?; react ? ? ?", "", "[10.4 11.6 13.2] x/src/a.ts:1:10 @grafana/ui has no export NoSuchName in any version", map[string]string{
			"x/src/plugin.json": panel, "x/src/a.ts": "import { NoSuchName } from '@grafana/ui';\nf(NoSuchName);\n", "y/plugin.json": "{}",
		}},
		{"bundle", "", "modules no no yes; react yes yes no", ">=12.3.0 <13.2.0", "[10.4 11.6] module.js:1:18 react/jsx-runtime is shared by hosts", map[string]string{
			"plugin.json": panel, "module.js": `define(["react","react/jsx-runtime"],(a)=>{` + old + `});`,
		}},
		{"from a patch on", "", "modules no yes yes", ">=12.3.0", "[10.4] module.js:1:10 react/jsx-runtime", map[string]string{
			"plugin.json": strings.Replace(panel, "*", ">=11.6.11 <12", 1), "module.js": `define(["react/jsx-runtime"],(a)=>{});`,
		}},
		{"from a prerelease on", "", "modules no yes yes", ">=12.3.0", "[10.4] module.js:1:18 react/jsx-runtime", map[string]string{
			"plugin.json": strings.Replace(panel, "*", ">=11.6.11-0", 1), "module.js": `define(["react","react/jsx-runtime"],(a)=>{});`,
		}},
		{"Angular", "", "modules yes partly no", ">=8.0.0 <12.0.0", `[11.6 13.2] module.js:1:10 module.js contains "app/plugins/sdk"`, map[string]string{
			"plugin.json": panel, "module.js": `define(["app/plugins/sdk"],(a)=>{});`,
		}},
		{"Angular in the source", "", "modules ? ? no; react ? ? ?", ">=8.0.0 <12.0.0", `[13.2] src/module.js:1:27 app/plugins/sdk is shared by hosts <12.0.0`, map[string]string{
			"src/plugin.json": panel, "src/module.js": "import { PanelCtrl } from 'app/plugins/sdk';\nclass C extends PanelCtrl {}\n",
		}},
		{"a dist beside its source", "", "imports no no yes", ">=13.1.0", "[10.4 11.6] src/module.ts:1:10", map[string]string{
			"src/plugin.json": panel, "src/module.ts": "import { CloseButton } from '@grafana/ui';\nf(CloseButton);\n", "dist/plugin.json": panel, "dist/module.js": `define(["@grafana/ui"],(a)=>{f(a.CloseButton)});`,
		}},
		{"a renderer that hosts do not start", "", "plugin.json no no no", "", "[10.4 11.6 13.2] src/plugin.json:1:", map[string]string{
			"src/plugin.json": `{"id":"acme-x-renderer","type":"renderer","executable":"gpx_x","dependencies":{"grafanaDependency":"*"}}`,
		}},
		{"a type, without a range", "", "plugin.json yes yes no", ">=9.1.0 <12.0.0", "[13.2] src/plugin.json:1:", map[string]string{
			"src/plugin.json": `{"id":"acme-x-secretsmanager","type":"secretsmanager","executable":"secrets_plugin_start"}`,
		}},
		{"removed from React", "", "react yes yes partly", ">=8.0.0", "[13.2] module.js:1:29 module.js contains .findDOMNode(", map[string]string{
			"plugin.json": panel, "module.js": `define(["react-dom"],(a)=>{a.findDOMNode(b)});`,
		}},
		{"permissions", "", "plugin.json partly yes yes", ">=8.0.0", "[9.5] plugin.json:1:", map[string]string{
			"plugin.json": strings.Replace(panel, "{", `{"iam":{"permissions":[{"action":"teams:read"}]},`, 1), "module.js": `define([],()=>{});`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := fstest.MapFS{}
			for name, text := range c.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			list := []string{"10.4", "11.6", "13.2"}
			if strings.HasPrefix(c.found, "[9.5") {
				list[0] = "9.5"
			}
			versions := testkit.Must(Versions(list))(t)
			r := testkit.Must(Check(t.Context(), files, validate.Options{Path: c.path}, versions))(t)
			var rows, found []string
			for _, row := range r.Rows {
				if verdicts := strings.Trim(fmt.Sprint(row.Verdicts), "[]"); verdicts != "yes yes yes" {
					rows = append(rows, row.Aspect+" "+verdicts)
				}
			}
			for _, f := range r.Findings {
				found = append(found, fmt.Sprintf("%v %s:%d:%d %s", f.Versions, f.File, f.Line, f.Column, f.Message))
			}
			if got := strings.Join(rows, "; "); got != c.want || r.Suggested != c.suggested {
				t.Errorf("%q, %q; want %q, %q", got, r.Suggested, c.want, c.suggested)
			}
			if !strings.Contains(strings.Join(found, "\n"), c.found) {
				t.Errorf("no %q in %q", c.found, found)
			}
		})
	}
}

// TestSkips requires that an aspect is not said to work if a rule could not read a file.
func TestSkips(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"src/plugin.json": &fstest.MapFile{Data: []byte(panel)},
		"src/a.ts":        &fstest.MapFile{Data: []byte("import { Combobox } from '@grafana/ui';\nf(`")},
	}
	r := testkit.Must(Check(t.Context(), files, validate.Options{}, 0))(t)
	for _, row := range r.Rows {
		if row.Aspect == "imports" && row.Verdicts[0] != Unknown {
			t.Errorf("imports: %v, %q", row.Verdicts, r.Skips)
		}
	}
	if !strings.Contains(strings.Join(r.Skips, "\n"), "import-outside-range: ") {
		t.Errorf("%q", r.Skips)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for declared, want := range map[string]string{
		">=10.2.0": "[10.2 10.4 11.6 12.4 13.2]", ">=11.3.0 <11.5": "[11.3 11.4]", "~12.1": "[12.1]", "*": "[8.0 8.5 9.5 10.4 11.6 12.4 13.2]", "latest": "[8.0 8.5 9.5 10.4 11.6 12.4 13.2]",
	} {
		files := fstest.MapFS{"plugin.json": &fstest.MapFile{Data: []byte(strings.Replace(panel, "*", declared, 1))}}
		r, err := Check(t.Context(), files, validate.Options{}, 0)
		if err != nil || fmt.Sprint(r.Versions) != want {
			t.Errorf("%s: %+v, %v; want %s", declared, r, err, want)
		}
	}
	if _, err := Versions([]string{"12.4", "12"}); err == nil || err.Error() != `invalid version "12": write minor versions from 8.0 to 13.2, such as 12.4` {
		t.Errorf("an invalid version: %v", err)
	}
	for _, text := range []string{"", "{", "[]", "null", "\xff\xfe{\x00}\x00", `{"id": 1}{`} {
		tree := fstest.MapFS{"src/plugin.json": {Data: []byte(text)}}
		if r, err := Check(t.Context(), tree, validate.Options{}, 0); err == nil || !strings.HasPrefix(err.Error(), "a plugin.json is not a JSON object") {
			t.Errorf("%q: %+v, %v", text, r, err)
		}
	}
	if _, err := Check(t.Context(), fstest.MapFS{}, validate.Options{}, 0); err == nil || !strings.HasPrefix(err.Error(), "no plugin.json found: choose ") {
		t.Errorf("an empty directory: %v", err)
	}
}
