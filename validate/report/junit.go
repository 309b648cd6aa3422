package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/validate"
)

// JUnit writes JUnit XML, which CI systems show as tests: a suite for each file with a
// test for each finding. An error is a failed test, as is any finding beyond a baseline; a
// warning or info is a passed test with output. A check that did not run is a skipped test, or a test with an error if
// the check is broken. A file without findings has one passed test.
func JUnit(w io.Writer, r *validate.Report, _ Options) error {
	cases := map[string][]junit.Case{}
	for _, f := range r.Findings {
		c := junit.Case{Name: f.Rule + ": " + f.Message, Class: f.File}
		if f.Line > 0 {
			c.Name = f.Address()[len(f.File)+1:] + " " + c.Name
		}
		body := f.Address() + ": " + whole(f)
		if f.Severity == validate.Error || r.HasBaseline {
			c.Failure = &junit.Result{Type: f.Rule, Message: f.Message, Body: body}
		} else {
			c.Output = string(f.Severity) + ": " + body
		}
		cases[f.File] = append(cases[f.File], c)
	}
	for _, s := range slices.Concat(r.Skips, r.Elsewhere) {
		s.File = cmp.Or(s.File, "rules for other forms of a plugin")
		c := junit.Case{Name: s.Rule, Class: s.File}
		if s.Rule == "" {
			c.Name = "all rules"
		}
		result := &junit.Result{Message: "not checked: " + s.Reason}
		if s.IsBroken {
			result.Type, c.Error = "broken", result
		} else {
			c.Skipped = result
		}
		cases[s.File] = append(cases[s.File], c)
	}
	for _, file := range r.Files {
		if cases[file] == nil {
			cases[file] = []junit.Case{{Name: "no findings", Class: file}}
		}
	}
	out := junit.Suites{Name: "slipway validate"}
	for file, list := range cases {
		out.Suites = append(out.Suites, junit.Suite{Name: file, Cases: list})
	}
	slices.SortFunc(out.Suites, func(a, b junit.Suite) int { return strings.Compare(a.Name, b.Name) })
	return junit.Write(w, out)
}
