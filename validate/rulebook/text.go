package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/validate"
)

// List prints one line per rule, in columns.
func List(w io.Writer, rules []validate.Rule) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tSEVERITY\tWHERE\tWHAT IT REPORTS")
	for _, r := range rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.ID, r.Severity, where(r.Where), r.Summary)
	}
	return t.Flush()
}

// Write prints the page for a terminal.
func (p Page) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s (%s; %s)\n%s\n", p.Rule.ID, p.Rule.Severity, where(p.Rule.Where), wrap(p.Rule.Summary))
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

// wrap breaks a text into indented lines.
func wrap(text string) string {
	const (
		width  = 80
		indent = "  "
	)
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
		b.WriteString(printable(word))
		at += len(word)
	}
	return b.String()
}
