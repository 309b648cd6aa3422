package verbs

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate/compat"
)

func TestCompat(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.WriteFiles(t, dir, map[string]string{
		"src/plugin.json":     `{"id":"acme-x-panel","type":"panel","dependencies":{"grafanaDependency":">=10.4.0"}}`,
		"src/QueryEditor.tsx": "import React from 'react';\nimport { X } from './x';\nimport { Combobox } from '@grafana/ui';\nf(Combobox);\n",
		"src/Old.tsx":         "import React from 'react';\nimport { Graph } from '@grafana/ui';\nf(Graph);\n",
	})
	run := func(o compatOptions) (string, error) {
		var out strings.Builder
		if o.Path == "" {
			o.Path = dir
		}
		err := runCompat(t.Context(), &out, o)
		return strings.ReplaceAll(out.String(), filepath.ToSlash(dir)+"/", ""), err
	}
	want := `aspect       10.4    11.6    13.2
plugin.json  yes     yes     yes
imports      no      yes     no
  13.2: src/Old.tsx:2:10: @grafana/ui exports Graph in 8.0 to 12.4
  10.4: src/QueryEditor.tsx:3:10: @grafana/ui exports Combobox in 11.5 and later
backend      yes     yes     yes
routes       yes     yes     yes
modules      ?       ?       ?
react        ?       ?       ?
not checked: the bundle of the frontend: the plugin is not built
widest range without errors: >=11.5.0 <13.0.0
`
	got, err := run(compatOptions{Format: "text", Versions: []string{"10.4", "11.6", "13.2"}})
	if diff := cmp.Diff(want, got); diff != "" || code(err) != ExitFindings {
		t.Errorf("%v; output (-want +got):\n%s", err, diff)
	}
	if got, err := run(compatOptions{Format: "text", Suggest: true}); got != ">=11.5.0 <13.0.0\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	got, err = run(compatOptions{Format: "json", Versions: []string{"11.6"}})
	var report struct {
		Version int
		compat.Report
	}
	if e := json.Unmarshal([]byte(got), &report); e != nil || err != nil || report.Version != 2 || len(report.Rows) != 6 || report.Findings == nil {
		t.Errorf("%v, %v in %s", e, err, got)
	}
	empty := t.TempDir()
	for want, o := range map[string]compatOptions{
		`2 -format: unknown format "xml"`:         {Format: "xml"},
		`2 -versions: invalid version "12"`:       {Format: "text", Versions: []string{"12"}},
		"2 nothing to validate: ":                 {Format: "text", Path: filepath.Join(empty, "none")},
		"3 compat: no plugin.json found: choose ": {Format: "text", Path: empty},
	} {
		o.Face = Mage
		_, err := run(o)
		status, text, _ := strings.Cut(want, " ")
		if err == nil || strconv.Itoa(code(err)) != status || !strings.HasPrefix(err.Error(), text) {
			t.Errorf("status %d, %v; want %s", code(err), err, want)
		}
	}
}
