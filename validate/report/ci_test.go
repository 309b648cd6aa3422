package report

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/validate"
)

// TestGitHubSurvives parses the commands as the runner of GitHub does.
func TestGitHubSurvives(t *testing.T) {
	t.Parallel()
	const message = "100%25, it says:\nunknown ::error file=x,line=1::a, b\r\nand \x1b[31m"
	r := &validate.Report{Plugins: 1, Findings: []validate.Finding{{
		Rule: "a:b,c%", Severity: validate.Error, Message: message,
		Place: validate.Place{File: "a,b:c%\n/plugin.json", Line: 2, Column: 3, EndLine: 2, EndColumn: 9},
	}}}
	lines := strings.Split(strings.TrimSuffix(write(t, "github", r, Options{}), "\n"), "\n")
	if len(lines) != 2 || strings.HasPrefix(lines[1], "::") {
		t.Fatalf("%q", lines)
	}
	command, properties, data := readCommand(lines[0])
	want := map[string]string{
		"file": "a,b:c%\n/plugin.json", "line": "2", "endLine": "2", "col": "3", "endColumn": "9", "title": "a:b,c%",
	}
	if diff := cmp.Diff(want, properties); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	if command != "error" {
		t.Errorf("command %q, want error", command)
	}
	if diff := cmp.Diff(strings.NewReplacer("\r\n", "\n", "\x1b", "\uFFFD").Replace(message), data); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
}

// readCommand parses ::command name=value,name=value::data.
func readCommand(line string) (command string, properties map[string]string, data string) {
	head, data, _ := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	command, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(pair, "=")
		properties[name] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(value)
	}
	return command, properties, strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
}

// TestJUnitAddsUp compares the counts in the XML with the tests.
func TestJUnitAddsUp(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Findings[0].Message = "\x00 \x0b ]]> <&> \uFFFF \xff" + r.Findings[0].Message
	for name, r := range map[string]*validate.Report{"sample": r, "clean": cleanReport(), "empty": {}} {
		var got junit.Suites
		if err := xml.Unmarshal([]byte(write(t, "junit", r, Options{})), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var sum junit.Counts
		skipped := 0
		for _, s := range got.Suites {
			var of junit.Counts
			for _, c := range s.Cases {
				of.Count(c)
			}
			if of != s.Counts {
				t.Errorf("%s: suite %s counts %+v, want %+v", name, s.Name, s.Counts, of)
			}
			sum.Tests += of.Tests
			sum.Failures += of.Failures
			sum.Errors += of.Errors
			skipped += s.Skipped
		}
		if sum != got.Counts {
			t.Errorf("%s: counts %+v, want %+v", name, got.Counts, sum)
		}
		if sum.Failures != r.Count(validate.Error) || sum.Errors+skipped != len(r.Skips)+len(r.Elsewhere) {
			t.Errorf("%s: %+v, want %d failures, %d errors and skipped", name, sum, r.Count(validate.Error), len(r.Skips)+len(r.Elsewhere))
		}
	}
}
