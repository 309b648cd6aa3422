package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

// TestRepeatedFindings requires that a mistake of several plugins is printed once, with its places.
func TestRepeatedFindings(t *testing.T) {
	t.Parallel()
	r := &validate.Report{Plugins: 3}
	for i, file := range []string{"a/plugin.json", "b/plugin.json", "c/plugin.json"} {
		r.Findings = append(r.Findings, validate.Finding{
			Rule: "wrong-type", Severity: validate.Warning, Message: "not a text", Help: "write one",
			Place: validate.Place{File: file, Line: i + 1, Column: 1, EndLine: i + 1, EndColumn: 2, Pointer: "/name"},
		})
	}
	r.Findings = append(r.Findings, validate.Finding{Rule: "wrong-type", Severity: validate.Warning, Message: "not a text", Help: "write one",
		Place: validate.Place{File: "d.md"}}, validate.Finding{Rule: "wrong-type", Severity: validate.Warning, Message: "not a text", Help: "write one",
		Place: validate.Place{File: "e.md"}})
	want := `a/plugin.json:1:1: warning wrong-type: not a text
  help: write one
  also b/plugin.json:2:1
  also c/plugin.json:3:1

d.md: warning wrong-type: not a text
  help: write one

e.md: warning wrong-type: not a text
  help: write one

5 warnings in 3 plugin.json files
`
	if got := write(t, "text", r, Options{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := write(t, "concise", r, Options{}); strings.Count(got, "plugin.json:") != 3 {
		t.Errorf("concise has not a line for each finding:\n%s", got)
	}
}

func TestCounts(t *testing.T) {
	t.Parallel()
	r := &validate.Report{Plugins: 1}
	for i := range manyFindings {
		r.Findings = append(r.Findings, validate.Finding{Rule: "often", Message: fmt.Sprint(i)})
	}
	if got := write(t, "text", r, Options{}); strings.Contains(got, " often\n") {
		t.Errorf("few findings are counted:\n%s", got)
	}
	r.Findings = append(r.Findings, validate.Finding{Rule: "rare"}, validate.Finding{Rule: "odd"})
	if got, want := write(t, "text", r, Options{}), "\n   20 often\n    1 odd\n    1 rare\n\n"; !strings.Contains(got, want) {
		t.Errorf("the counts are missing:\n%s", got)
	}
}
