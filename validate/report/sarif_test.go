package report

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/validate"
)

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

// TestTextAfterAByteOrderMark checks that a quoted line does not contain the mark.
func TestTextAfterAByteOrderMark(t *testing.T) {
	t.Parallel()
	got := write(t, "text", &validate.Report{
		Findings: []validate.Finding{{Place: validate.Place{File: "plugin.json", Line: 1, Column: 1, EndLine: 1, EndColumn: 3}}},
		Sources:  map[string][]byte{"plugin.json": []byte("\uFEFF{}")},
	}, Options{})
	if !strings.Contains(got, " | {}\n") {
		t.Errorf("the line of a file with a byte order mark:\n%s", got)
	}
}
