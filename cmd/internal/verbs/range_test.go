package verbs

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/cmd/internal/adopt"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/templates"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/compat"
)

// TestRangesOfScaffolds requires that the range of each scaffold is true, and that it begins with the
// oldest version in which all of them are. TestScaffolds of internal/e2e validates what is built.
func TestRangesOfScaffolds(t *testing.T) {
	t.Parallel()
	checkout := testkit.Must(filepath.Abs(filepath.Join("..", "..", "..")))(t)
	const lowest, before = "10.3", "10.2"
	older := testkit.Must(compat.Versions([]string{before}))(t)
	needed := false
	for _, kind := range templates.Types() {
		for _, hasBackend := range []bool{true, false} {
			if !hasBackend && !kind.BackendOptional {
				continue
			}
			dir := filepath.Join(t.TempDir(), kind.Name)
			testkit.Must(templates.Scaffold(templates.Options{
				Type: kind.Name, ID: "acme-range-" + kind.Name, Dir: dir, Backend: &hasBackend, Profile: "grafana",
				Slipway: templates.Module{Checkout: checkout}, Today: time.Now(),
			}))(t)
			files, o, err := validate.Open(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			report := testkit.Must(compat.Check(t.Context(), files, o, 0))(t)
			if report.Versions[0] != lowest || len(report.Findings) > 0 {
				t.Errorf("%s, backend %t: %+v", kind.Name, hasBackend, report)
			}
			report = testkit.Must(compat.Check(t.Context(), files, o, older))(t)
			needed = needed || len(report.Findings) > 0
		}
	}
	if !needed {
		t.Errorf("each scaffold runs in %s: lower the range", before)
	}
}

// TestRangeOfInit requires that init adds a range that is true, and changes none.
func TestRangeOfInit(t *testing.T) {
	t.Parallel()
	const added = ">=11.5.0 <13.0.0"
	for text, want := range map[string]string{
		`{"id": "acme-x-panel"}`:                              `{"dependencies": {"grafanaDependency":"` + added + `"}, "id": "acme-x-panel"}`,
		`{"dependencies": { "plugins": [] }}`:                 `{"dependencies": { "grafanaDependency": "` + added + `", "plugins": [] }}`,
		`{"dependencies": {"grafanaDependency": ">=10.0.0"}}`: "", // not true
		`{"dependencies": {"serviceDependency": ">=10.0.0"}}`: "",
		`{"dependencies": {"grafanaVersion": "4.x.x"}}`:       "", // validate has a fix
		`{"dependencies"`:                                     "",
	} {
		root := t.TempDir()
		dir := filepath.Join(root, "plugins", "x")
		testkit.WriteFile(t, filepath.Join(dir, "src", "plugin.json"), text)
		testkit.WriteFile(t, filepath.Join(dir, "src", "nested", "plugin.json"), `{"id": "acme-y-panel", "type": "panel"}`)
		testkit.WriteFile(t, filepath.Join(dir, "src", "module.ts"), "import { Combobox, Graph } from '@grafana/ui';\nf(Combobox, Graph);\n")
		p := &adopt.Plan{Root: root, Dir: dir}
		got := addRange(t.Context(), p)
		if want == "" {
			if got != "" || len(p.Files) > 0 {
				t.Errorf("%s: %q, %s", text, got, p.Files)
			}
			continue
		}
		change := []adopt.File{{Path: "plugins/x/src/plugin.json", Before: []byte(text), After: []byte(want)}}
		if diff := cmp.Diff(change, p.Files); got != added || diff != "" {
			t.Errorf("%s: %q (-want +got):\n%s", text, got, diff)
		}
	}
}
