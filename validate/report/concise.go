package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// Concise writes a line per finding, which editors can parse: its position, severity, rule and
// message. A line per check that did not run follows, and a summary.
func Concise(w io.Writer, r *validate.Report, _ Options) error {
	b := bufio.NewWriter(w)
	for _, f := range r.Findings {
		fmt.Fprintf(b, "%s: %s %s: %s\n", place(f.Place), f.Severity, f.Rule, terminal.Line(f.Message))
	}
	for _, g := range groups(r.Skips) {
		fmt.Fprintf(b, "%s: not checked: %s\n", terminal.Line(g.file), terminal.Line(g.line()))
	}
	fmt.Fprintln(b, summary(r))
	return b.Flush()
}
