package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/report"
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

func wrap(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	return "  " + report.Wrap(terminal.Printable(line), 80)
}
