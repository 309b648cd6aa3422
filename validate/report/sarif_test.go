package report

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

func TestSARIFOfACleanRunHasResults(t *testing.T) {
	t.Parallel()
	got := write(t, "sarif", cleanReport(), Options{})
	if !strings.Contains(got, `"results": []`) || !strings.Contains(got, `"executionSuccessful": true`) {
		t.Error(got)
	}
}

func TestSARIFNamesFiles(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]sarifArtifact{
		"src/plugin.json": {"src/plugin.json", sourceRoot},
		"a b/100%.json":   {"a%20b/100%25.json", sourceRoot},
		"a:b.json":        {"./a:b.json", sourceRoot},
		"../plugin.json":  {"../plugin.json", ""},
		"/tmp/x y.json":   {"file:///tmp/x%20y.json", ""},
		"C:/x.json":       {"file:///C:/x.json", ""},
	} {
		if got := artifact(file); got != want {
			t.Errorf("%s: %+v", file, got)
		}
	}
}

// TestSARIFFixes checks the regions of a fix.
func TestSARIFFixes(t *testing.T) {
	t.Parallel()
	r := sample()
	s := sarifWriter{report: r, index: map[string]int{}}
	for _, f := range r.Findings {
		fixes := s.fixes(f)
		if f.Fix == nil {
			if fixes != nil {
				t.Errorf("%s has a fix", f.Rule)
			}
			continue
		}
		got := fixes[0].Changes[0].Replacements[0]
		if got.Deleted != (sarifRegion{3, 2, 3, 9}) || got.Inserted.Text != `"naive"` {
			t.Errorf("%+v", got)
		}
		f.Fix = &validate.Fix{Edits: []validate.Edit{{File: "plugin.json", From: 1, To: 4000}}}
		if s.fixes(f) != nil {
			t.Error("a fix with an edit outside the file")
		}
		f.Fix = &validate.Fix{Edits: []validate.Edit{{File: "gpx", MakeExecutable: true}}}
		if s.fixes(f) != nil {
			t.Error("a fix without text")
		}
	}
}

// TestSARIFFixesAfterAByteOrderMark checks that regions do not count the mark, which edits do.
func TestSARIFFixesAfterAByteOrderMark(t *testing.T) {
	t.Parallel()
	s := sarifWriter{report: &validate.Report{Sources: map[string][]byte{"plugin.json": []byte(byteOrderMark + "{}")}}}
	for from, want := range map[int]sarifRegion{3: {1, 1, 1, 3}, 0: {}} {
		fix := &validate.Fix{Edits: []validate.Edit{{File: "plugin.json", From: from, To: 5}}}
		got := sarifRegion{}
		for _, f := range s.fixes(validate.Finding{Fix: fix}) {
			got = f.Changes[0].Replacements[0].Deleted
		}
		if got != want {
			t.Errorf("from byte %d: got %+v, want %+v", from, got, want)
		}
	}
	got := write(t, "text", &validate.Report{
		Findings: []validate.Finding{{Place: validate.Place{File: "plugin.json", Line: 1, Column: 1, EndLine: 1, EndColumn: 3}}},
		Sources:  s.report.Sources,
	}, Options{})
	if !strings.Contains(got, " | {}\n") {
		t.Errorf("the line of a file with a byte order mark:\n%s", got)
	}
}
