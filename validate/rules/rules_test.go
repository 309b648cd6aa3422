package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/validate"
)

var update = flag.Bool("update", false, "write the findings into the examples")

// TestExamples runs all rules over the example of each: good/ has no finding at
// all, bad/ exactly those that the example lists, its own rule among them.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, rule := range All() {
		t.Run(rule.ID, func(t *testing.T) {
			t.Parallel()
			if rule.Example == "" {
				t.Fatal("no example beside the rule")
			}
			archive := txtar.Parse([]byte(rule.Example))
			if len(strings.TrimSpace(string(archive.Comment))) == 0 {
				t.Error("the example does not say what it shows")
			}
			if rule.OfArchive {
				zipExample(t, rule, archive)
				return
			}
			trees := map[string]fstest.MapFS{"good": {}, "bad": {}}
			var want *txtar.File
			for i, f := range archive.Files {
				side, name, ok := strings.Cut(f.Name, "/")
				if !ok {
					want = &archive.Files[i]
					continue
				}
				trees[side][name] = &fstest.MapFile{Data: f.Data}
			}
			if got := lines(run(t, trees["good"])); got != "" {
				t.Errorf("good/ has findings:\n%s", got)
			}
			got := lines(run(t, trees["bad"]))
			if !strings.Contains(got, " "+rule.ID+" ") {
				t.Errorf("bad/ does not show %s:\n%s", rule.ID, got)
			}
			if *update {
				want.Data = []byte(got)
				file := strings.ReplaceAll(rule.ID, "-", "_") + ".txtar"
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got != string(want.Data) {
				t.Errorf("bad/ has other findings than listed:\n%swant:\n%s", got, want.Data)
			}
		})
	}
}

func run(t *testing.T, tree fstest.MapFS) *validate.Report {
	t.Helper()
	report, err := validate.Run(t.Context(), tree, validate.Options{Rules: All()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func lines(r *validate.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		pointer := f.Pointer
		if pointer == "" {
			pointer = "-"
		}
		fmt.Fprintf(&b, "%s:%d:%d %s %s %s\n", f.File, f.Line, f.Column, f.Rule, pointer, f.Message)
	}
	for _, s := range r.Skips {
		if s.IsBroken {
			fmt.Fprintf(&b, "%s %s: %s\n", s.File, s.Rule, s.Reason)
		}
	}
	return b.String()
}

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
		if name, ok := strings.CutSuffix(f.Name(), ".txtar"); ok && !seen[strings.ReplaceAll(name, "_", "-")] {
			t.Errorf("%s belongs to no rule", f.Name())
		}
	}
}
