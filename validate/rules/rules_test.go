package rules

import (
	"flag"
	"os"
	"strings"
	"testing"
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
		if r.Severity == "" || r.Summary == "" || r.Why == "" || r.Mend == "" || r.Check == nil {
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
