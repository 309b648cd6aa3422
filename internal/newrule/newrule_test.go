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

// TestWrite adds a new rule to the package with an overlay. The package must compile, and
// its tests must fail only for the new rule.
func TestWrite(t *testing.T) {
	t.Parallel()
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
	output := string(out)
	if err == nil {
		t.Fatalf("the tests pass:\n%s", output)
	}
	for _, unwanted := range []string{"build failed", "panic"} {
		if strings.Contains(output, unwanted) {
			t.Fatalf("%s:\n%s", unwanted, output)
		}
	}
	for _, want := range []string{"TestExamples/bell-id-rings", "no finding of bell-id-rings in bad/", "the example has no comment", "bell-id-rings lacks documentation"} {
		if !strings.Contains(output, want) {
			t.Errorf("the tests do not print %q:\n%s", want, output)
		}
	}
	if n := strings.Count(output, "--- FAIL: TestExamples/"); n != 1 {
		t.Errorf("%d rules fail, want 1:\n%s", n, output)
	}
	if _, err := Write(dir, "bell-id-rings"); err == nil || !strings.Contains(err.Error(), "already exists") {
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
		t.Errorf("directory without rules: %v", err)
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
		if got := functionName(id); got != want {
			t.Errorf("%s: %s", id, got)
		}
	}
}
