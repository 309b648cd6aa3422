package newrule

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const rules = "../../validate/rules"

// TestWrite puts a new rule into the package as the go command sees it: it compiles,
// and the tests fail for the rule and for nothing else.
func TestWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: this compiles the rules anew, which takes seconds")
	}
	dir := t.TempDir()
	all, err := os.ReadFile(filepath.Join(rules, "rules.go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "rules.go"), all, 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := Write(dir, "bell-id-rings")
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for _, f := range files {
		at, err := filepath.Abs(filepath.Join(rules, filepath.Base(f)))
		if err != nil {
			t.Fatal(err)
		}
		replace[at] = f
	}
	overlay := filepath.Join(dir, "overlay.json")
	data, _ := json.Marshal(map[string]any{"Replace": replace})
	if err := os.WriteFile(overlay, data, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay="+overlay, "-run=^(TestExamples|TestRulesAreComplete)$", ".")
	cmd.Dir = rules
	out, err := cmd.CombinedOutput()
	said := string(out)
	if err == nil || strings.Contains(said, "build failed") || strings.Contains(said, "panic") {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{"TestExamples/bell-id-rings", "bad/ does not show bell-id-rings", "the example does not say what it shows", "bell-id-rings lacks a part"} {
		if !strings.Contains(said, want) {
			t.Errorf("the tests do not say %q:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "--- FAIL: TestExamples/"); n != 1 {
		t.Errorf("%d rules fail:\n%s", n, said)
	}
	if _, err := Write(dir, "bell-id-rings"); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("again: %v", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "Bell", "bell", "../bell-x", "bell_x", "bell--x", "bell-x-"} {
		if _, err := Write(t.TempDir(), id); err == nil || !strings.Contains(err.Error(), "such as path-missing") {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := Write(t.TempDir(), "bell-rings"); err == nil || !strings.Contains(err.Error(), "list of rules") {
		t.Errorf("a folder without rules: %v", err)
	}
	for _, text := range []string{"", "all := []validate.Rule{\n\t\ta(),\n"} {
		if _, err := insert(text, "f"); err == nil || !strings.Contains(err.Error(), "by hand") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestFunction(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"path-missing": "pathMissing", "min-version-iam": "minVersionIAM", "id-format": "idFormat"} {
		if got := function(id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
