package rules

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

var update = flag.Bool("update", false, "write the findings into the examples")

func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.ID] {
			t.Errorf("%s comes twice", r.ID)
		}
		seen[r.ID] = true
		if r.Severity == "" || r.Summary == "" || r.Why == "" || r.Help == "" || r.Check == nil {
			t.Errorf("%s lacks a part: %+v", r.ID, r)
		}
		if got, err := ByID(r.ID); err != nil || got.ID != r.ID {
			t.Errorf("ByID(%q): %v", r.ID, err)
		}
	}
	if _, err := ByID("path-mising"); err == nil || !strings.Contains(err.Error(), "did you mean path-missing?") {
		t.Errorf("ByID of a misspelt id: %v", err)
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".txtar"); ok && name != "base" && !seen[strings.ReplaceAll(name, "_", "-")] {
			t.Errorf("%s belongs to no rule", f.Name())
		}
	}
}

// TestSrcAlone validates src without the repository around it: that README.md and
// its like may lie there is said, and is no finding.
func TestSrcAlone(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Source)
	dropFile("README.md", "CHANGELOG.md", "LICENSE")(p)
	report, err := validate.Run(t.Context(), p.files, validate.Options{Rules: All(), RootName: "src"})
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(report); got != "" || len(report.Skips) != 3 || report.ExitCode() != validate.ExitClean {
		t.Errorf("%s%+v", got, report.Skips)
	}
}

// TestGrafanaRoles accepts what real apps write: "grants", and the action that opens
// the pages of an app.
func TestGrafanaRoles(t *testing.T) {
	t.Parallel()
	p := completePlugin(t, validate.Dist)
	renameIn("plugin.json", "/roles/0/grant", "grants")(p)
	replaceText("plugin.json", "Service Admin", "Grafana Admin")(p)
	set("/roles/0/role/permissions/0/action", "plugins.app:access")(p)
	for _, file := range []string{"plugin.json", datasourceFile, panelFile} {
		replaceText(file, "serviceDependency", "grafanaDependency")(p)
		replaceText(file, "serviceVersion", "grafanaVersion")(p)
	}
	report, err := validate.Run(t.Context(), p.files, validate.Options{Rules: All(), Where: validate.Dist})
	if err != nil {
		t.Fatal(err)
	}
	if got := lines(report); got != "" {
		t.Error(got)
	}
}
