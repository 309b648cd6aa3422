package report

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// JUnit writes JUnit XML, which CI systems show as tests: a suite for each file with a
// test for each finding. An error is a failed test; a warning or info is a passed test
// with output. A check that did not run is a skipped test, or a test with an error if
// the check is broken. A file without findings has one passed test.
func JUnit(w io.Writer, r *validate.Report, _ Options) error {
	cases := map[string][]junitCase{}
	for _, f := range r.Findings {
		c := junitCase{Name: f.Rule + ": " + f.Message, Class: f.File}
		if f.Line > 0 {
			c.Name = f.Address()[len(f.File)+1:] + " " + c.Name
		}
		body := f.Address() + ": " + f.Message
		if f.Help != "" {
			body += "\nhelp: " + f.Help
		}
		for _, related := range f.Related {
			body += "\nsee " + related.Address() + ": " + related.Message
		}
		if f.Severity == validate.Error {
			c.Failure = &junitResult{Type: f.Rule, Message: clean(f.Message), Body: clean(body)}
		} else {
			c.Output = clean(string(f.Severity) + ": " + body)
		}
		cases[f.File] = append(cases[f.File], c)
	}
	for _, s := range r.Skips {
		c := junitCase{Name: s.Rule, Class: s.File}
		if s.Rule == "" {
			c.Name = "all rules"
		}
		result := &junitResult{Message: clean("not checked: " + s.Reason)}
		if s.IsBroken {
			result.Type, c.Error = "broken", result
		} else {
			c.Skipped = result
		}
		cases[s.File] = append(cases[s.File], c)
	}
	for _, file := range r.Files {
		if cases[file] == nil {
			cases[file] = []junitCase{{Name: "no findings", Class: file}}
		}
	}
	out := junitSuites{Name: "slipway validate"}
	for file, list := range cases {
		suite := junitSuite{Name: clean(file), Cases: list}
		for i := range list {
			c := &list[i]
			c.Name, c.Class = terminal.Line(clean(c.Name)), terminal.Line(clean(c.Class)) // on one line
			suite.count(*c)
		}
		out.Suites = append(out.Suites, suite)
		out.junitCounts.add(suite.junitCounts)
	}
	slices.SortFunc(out.Suites, func(a, b junitSuite) int { return strings.Compare(a.Name, b.Name) })
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(out); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Cases []junitCase `xml:"testcase"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

func (n *junitCounts) add(m junitCounts) {
	n.Tests += m.Tests
	n.Failures += m.Failures
	n.Errors += m.Errors
	n.Skipped += m.Skipped
}

func (n *junitCounts) count(c junitCase) {
	n.Tests++
	switch {
	case c.Failure != nil:
		n.Failures++
	case c.Error != nil:
		n.Errors++
	case c.Skipped != nil:
		n.Skipped++
	}
}

type junitCase struct {
	Name    string       `xml:"name,attr"`
	Class   string       `xml:"classname,attr"`
	Failure *junitResult `xml:"failure"`
	Error   *junitResult `xml:"error"`
	Skipped *junitResult `xml:"skipped"`
	Output  string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",chardata"`
}

// clean replaces characters that XML does not allow, and control characters.
func clean(s string) string {
	lines := strings.Split(strings.ToValidUTF8(s, string(utf8.RuneError)), "\n")
	for i := range lines {
		lines[i] = strings.Map(func(r rune) rune {
			if r == 0xFFFE || r == 0xFFFF {
				return utf8.RuneError
			}
			return r
		}, terminal.Line(lines[i]))
	}
	return strings.Join(lines, "\n")
}
