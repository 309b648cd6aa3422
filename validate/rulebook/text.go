package rulebook

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/validate"
)

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
