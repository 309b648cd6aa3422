// Package junit writes JUnit XML, which CI systems show as tests. What a suite, a test and
// a failure stand for is up to the caller.
package junit

import (
	"encoding/xml"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/internal/terminal"
)

// Suites is a document. Write sets the counts and makes all strings valid.
type Suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	Counts
	Time   Seconds `xml:"time,attr,omitempty"` // Write sets it, as in each suite
	Suites []Suite `xml:"testsuite"`
}

// Suite is a group of tests.
type Suite struct {
	Name string `xml:"name,attr"`
	Counts
	Skipped int     `xml:"skipped,attr"` // schemas have it here only
	Time    Seconds `xml:"time,attr,omitempty"`
	Cases   []Case  `xml:"testcase"`
}

// Seconds are how long something took; 0 if it is not known, and absent.
type Seconds float64

// MarshalText returns a decimal number, as readers of JUnit XML parse it.
func (s Seconds) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 3, 64), nil
}

// Counts are the numbers of tests.
type Counts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
}

func (n *Counts) merge(m Counts) {
	n.Tests += m.Tests
	n.Failures += m.Failures
	n.Errors += m.Errors
}

// Count counts a test.
func (n *Counts) Count(c Case) {
	n.Tests++
	switch {
	case c.Failure != nil:
		n.Failures++
	case c.Error != nil:
		n.Errors++
	}
}

// Case is a test. It passed if it has no Failure, Error or Skipped.
type Case struct {
	Name    string  `xml:"name,attr"`
	Class   string  `xml:"classname,attr"`
	Time    Seconds `xml:"time,attr,omitempty"`
	Failure *Result `xml:"failure"`
	Error   *Result `xml:"error"`
	Skipped *Result `xml:"skipped"`
	Output  string  `xml:"system-out,omitempty"`
}

// Result explains a test that did not pass.
type Result struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",chardata"`
}

// Write writes a document.
func Write(w io.Writer, out Suites) error {
	out.Counts, out.Time = Counts{}, 0
	for i := range out.Suites {
		suite := &out.Suites[i]
		suite.Name, suite.Counts, suite.Skipped, suite.Time = clean(suite.Name), Counts{}, 0, 0
		for j := range suite.Cases {
			suite.Cases[j].clean()
			suite.Count(suite.Cases[j])
			if suite.Cases[j].Skipped != nil {
				suite.Skipped++
			}
			suite.Time += suite.Cases[j].Time
		}
		out.merge(suite.Counts)
		out.Time += suite.Time
	}
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

func (c *Case) clean() {
	c.Name, c.Class = terminal.Line(clean(c.Name)), terminal.Line(clean(c.Class)) // on one line
	c.Output = clean(c.Output)
	for _, r := range []*Result{c.Failure, c.Error, c.Skipped} {
		if r != nil {
			r.Message, r.Body = clean(r.Message), clean(r.Body)
		}
	}
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
