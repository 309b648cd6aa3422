// Package rulebook prints the documentation of rules: a list, and a page for a terminal.
// Its tests write doc/rules.md.
//
// It defines the layout. The content is in the rules and their examples, which the
// tests of validate/rules verify; the caller passes the rules.
package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/validate"
)

// Page is the documentation of a rule.
type Page struct {
	Rule     validate.Rule
	Example  string // what the example shows
	Good     []File // files without findings
	Bad      []File // files with findings; those that are also in Good are left out, unless their name is repeated
	Fixed    []File // the bad files after the fixes
	Findings []Finding
}

// File is a file of an example.
type File struct {
	Name string
	Text string
}

// Finding is a finding of an example.
type Finding struct {
	Place   string // file:line:column, or the file alone
	Rule    string
	Message string
}

// Read parses the example of a rule. It is a txtar archive with the files good/NAME,
// bad/NAME and fixed/NAME (or good.zip/NAME and bad.zip/NAME for the entries of a
// zip) and the file findings.
func Read(rule validate.Rule) Page {
	archive := &txtar.Archive{}
	if rule.Example != nil {
		archive = txtar.Parse([]byte(rule.Example()))
	}
	p := Page{Rule: rule, Example: strings.TrimSpace(string(archive.Comment))}
	for _, f := range archive.Files {
		side, name, _ := strings.Cut(f.Name, "/")
		file := File{name, string(f.Data)}
		switch side {
		case "findings":
			p.Findings = parseFindings(file.Text)
		case "good", "good.zip":
			p.Good = append(p.Good, file)
		case "bad", "bad.zip":
			p.Bad = append(p.Bad, file)
		case "fixed":
			p.Fixed = append(p.Fixed, file)
		}
	}
	if different := slices.DeleteFunc(slices.Clone(p.Bad), p.isRedundant); len(different) > 0 {
		p.Bad = different
	}
	return p
}

// isRedundant reports whether a bad file is also in Good and its name, in any case, is
// not repeated, which may be what makes the example bad.
func (p Page) isRedundant(f File) bool {
	same := 0
	for _, other := range p.Bad {
		if strings.EqualFold(other.Name, f.Name) {
			same++
		}
	}
	return same == 1 && slices.Contains(p.Good, f)
}

// parseFindings parses lines of the form PLACE RULE POINTER MESSAGE.
func parseFindings(text string) []Finding {
	var list []Finding
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if len(fields) == 4 {
			list = append(list, Finding{strings.TrimSuffix(fields[0], ":0:0"), fields[1], fields[3]})
		}
	}
	return list
}

// line returns the finding in one line. It names the rule if that is not the given one.
func (f Finding) line(rule string) string {
	line := f.Place + ": " + f.Message
	if f.Rule != rule {
		line += " (" + f.Rule + ")"
	}
	return line
}

// severity returns the default severity, and that in the preset catalog if it differs.
func (p Page) severity() string {
	if p.Rule.Catalog == "" || p.Rule.Catalog == p.Rule.Severity {
		return string(p.Rule.Severity)
	}
	return fmt.Sprintf("%s, %s in the preset catalog", p.Rule.Severity, p.Rule.Catalog)
}

func where(w validate.Where) string {
	if w == 0 || w == validate.Everywhere {
		return "everywhere"
	}
	return w.String()
}

// maxLines and maxColumns limit how much of a file is printed.
const (
	maxLines   = 60
	maxColumns = 200
)

func (f File) lines() []string {
	var lines []string
	for line := range strings.Lines(f.Text) {
		if len(lines) == maxLines {
			return append(lines, "...")
		}
		lines = append(lines, printable(strings.TrimRight(line, "\r\n")))
	}
	return lines
}

// printable shortens a line and replaces control characters.
func printable(line string) string {
	runes := []rune(strings.ToValidUTF8(line, string(unicode.ReplacementChar)))
	if len(runes) > maxColumns {
		runes = append(runes[:maxColumns], '…')
	}
	return terminal.Printable(string(runes))
}

// List prints a line per rule, which it wraps on a terminal. The longest id leaves no room for columns.
func List(w io.Writer, rules []validate.Rule) error {
	b := bufio.NewWriter(w)
	width := terminal.Width(w, math.MaxInt)
	for _, r := range rules {
		line := fmt.Sprintf("%s (%s; %s): %s", r.ID, r.Severity, where(r.Where), r.Summary)
		fmt.Fprintln(b, terminal.Paint(w, terminal.Bold, r.ID)+strings.TrimPrefix(text.Wrap(line, "  ", width), r.ID))
	}
	return b.Flush()
}

// Write prints the page for a terminal.
func (p Page) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	wrap := func(s string) string {
		return "  " + text.Wrap(terminal.Line(s), "  ", terminal.Width(w, 82))
	}
	fmt.Fprintf(b, "%s (%s; %s)\n%s\n", p.Rule.ID, p.severity(), where(p.Rule.Where), wrap(p.Rule.Summary))
	for _, part := range []struct{ title, text string }{
		{"Why", p.Rule.Why}, {"Help", p.Rule.Help}, {"Example", p.Example},
	} {
		if part.text != "" {
			fmt.Fprintf(b, "\n%s\n%s\n", part.title, wrap(part.text))
		}
	}
	writeFiles(b, "Good", p.Good)
	writeFiles(b, "Bad", p.Bad)
	if len(p.Findings) > 0 {
		fmt.Fprint(b, "\nvalidate reports\n")
	}
	for _, f := range p.Findings {
		fmt.Fprintln(b, wrap(f.line(p.Rule.ID)))
	}
	writeFiles(b, "Fixed", p.Fixed)
	return b.Flush()
}

func writeFiles(w io.Writer, title string, files []File) {
	for _, f := range files {
		fmt.Fprintf(w, "\n%s: %s\n", title, f.Name)
		for _, line := range f.lines() {
			fmt.Fprintf(w, "  | %s\n", line)
		}
	}
}
