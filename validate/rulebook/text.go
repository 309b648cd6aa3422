package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/slipway-dev/slipway/validate"
)

// List writes one line for each rule, in columns.
func List(w io.Writer, rules []validate.Rule) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tSEVERITY\tWHERE\tWHAT IT CHECKS")
	for _, r := range rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, string(r.Severity), where(r.Where), r.Summary)
	}
	return t.Flush()
}

// width of the text of a page.
const width = 80

// Write writes the page for a terminal.
func (p Page) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s (%s; %s)\n%s\n", p.Rule.ID, string(p.Rule.Severity), where(p.Rule.Where), wrap("  ", p.Rule.Summary))
	part := func(title, text string) {
		if text != "" {
			fmt.Fprintf(b, "\n%s\n%s\n", title, wrap("  ", text))
		}
	}
	part("Why", p.Rule.Why)
	part("Help", p.Rule.Help)
	part("Example", p.Shows)
	for _, side := range []struct {
		title string
		files []File
	}{{"Good", p.Good}, {"Bad", p.Bad}} {
		for _, f := range side.files {
			fmt.Fprintf(b, "\n%s: %s\n%s", side.title, f.Name, block(f.Text))
		}
	}
	if len(p.Findings) > 0 {
		fmt.Fprintf(b, "\nWhat validate says of the bad one\n")
	}
	for _, f := range p.Findings {
		fmt.Fprintf(b, "%s\n", wrap("  ", f.line(p.Rule.ID)))
	}
	for _, f := range p.Fixed {
		fmt.Fprintf(b, "\nWhat -fix makes of %s\n%s", f.Name, block(f.Text))
	}
	return b.Flush()
}

// line is a finding in one line; the rule is named where it is another one.
func (f Finding) line(rule string) string {
	if f.Rule == rule {
		return f.Place + " " + f.Message
	}
	return f.Place + " " + f.Message + " (" + f.Rule + ")"
}

func where(w validate.Where) string {
	if w == 0 || w == validate.Everywhere {
		return "everywhere"
	}
	return w.String()
}

// block indents the text of a file, and leaves out what nobody reads.
func block(text string) string {
	const most = 60
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > most {
			fmt.Fprintf(&b, "  | ... %d more lines\n", lines(text)-most)
			break
		}
		fmt.Fprintf(&b, "  | %s\n", visible(strings.TrimRight(line, "\r\n")))
	}
	return b.String()
}

// visible shortens a line and makes control characters visible.
func visible(line string) string {
	const most = 200
	runes := []rune(strings.ToValidUTF8(line, string(unicode.ReplacementChar)))
	if len(runes) > most {
		runes = append(runes[:most], '…')
	}
	for i, r := range runes {
		if r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			runes[i] = unicode.ReplacementChar
		}
	}
	return string(runes)
}

// wrap breaks a text into lines with an indent.
func wrap(indent, text string) string {
	var b strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		switch {
		case at == 0:
			b.WriteString(indent)
		case at+1+len(word) > width:
			b.WriteString("\n" + indent)
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(visible(word))
		at += len(word)
	}
	return b.String()
}
