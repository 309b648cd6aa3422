package compat

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	const old = "var c=a.__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED.ReactCurrentOwner,d={key:!0,ref:!0};"
	for _, c := range []struct {
		name, want, suggested string
		files                 map[string]string
	}{
		{"source", "imports no yes no", ">=11.5.0 <13.0.0", map[string]string{
			"src/plugin.json": panel, "src/module.tsx": "import { Combobox, Graph } from '@grafana/ui';\nf(Combobox, Graph);\n",
		}},
		{"bundle", "modules no no yes, react yes yes no", ">=12.3.0 <13.2.0", map[string]string{
			"plugin.json": panel, "module.js": `define(["react","react/jsx-runtime"],(a)=>{` + old + `});`,
		}},
		{"nothing", "", ">=8.0.0", map[string]string{"src/plugin.json": panel}},
		{"no version", "imports no no no", "", map[string]string{
			"src/plugin.json": panel, "src/a.ts": "import { ScrollContainer, selectOptionInTest } from '@grafana/ui';\nimport { LegacyForms } from './b';\nf(ScrollContainer, selectOptionInTest, LegacyForms);\n",
			"src/b.ts": "export { NoSuchName as LegacyForms } from '@grafana/ui';\n",
		}},
	} {
		files := fstest.MapFS{}
		for name, text := range c.files {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		rows, err := Versions(t.Context(), files, []string{"10.4", "11.6", "13.2"})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, row := range rows {
			if len(row.Found) > 0 {
				got = append(got, row.Aspect+" "+strings.Trim(fmt.Sprint(row.Verdicts), "[]"))
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q: %+v", c.name, got, c.want, rows)
		}
		suggested, err := Suggest(t.Context(), files)
		if err != nil || suggested != c.suggested {
			t.Errorf("%s: %q, %v; want %q", c.name, suggested, err, c.suggested)
		}
	}
	if _, err := Versions(t.Context(), fstest.MapFS{}, []string{"12"}); err == nil || !strings.Contains(err.Error(), "such as 12.4") {
		t.Errorf("an invalid version: %v", err)
	}
}
