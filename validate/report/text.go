package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// Text writes a report for people: per finding its place, severity, rule and
// message, the line of the file, what to do and related places; then the checks
// that did not run; then what a baseline holds in vain; then one line that sums up.
func Text(w io.Writer, r *validate.Report, o Options) error {
	b := bufio.NewWriter(w)
	t := &text{w: b, report: r, hasColor: o.HasColor}
	for _, f := range r.Findings {
		t.finding(f)
	}
	t.skips()
	t.gone()
	t.printf("%s\n", summary(r))
	return b.Flush()
}

type text struct {
	w        io.Writer
	report   *validate.Report
	hasColor bool
	source   source // of the finding before
}

// The colours of a terminal (ECMA-48).
const (
	bold   = "1"
	red    = "1;31"
	yellow = "1;33"
	blue   = "1;34"
	faint  = "2"
)

func (t *text) finding(f validate.Finding) {
	color := map[validate.Severity]string{validate.Error: red, validate.Warning: yellow}[f.Severity]
	if color == "" {
		color = blue
	}
	t.printf("%s: %s %s: %s\n", t.paint(bold, place(f.Place)), t.paint(color, string(f.Severity)), f.Rule, plain(f.Message))
	t.frame(f.Place, color)
	if f.Help != "" {
		t.printf("  help: %s\n", plain(f.Help))
	}
	for _, r := range f.Related {
		t.printf("  see %s: %s\n", place(r.Place), plain(r.Message))
	}
	t.printf("\n")
}

func (t *text) skips() {
	for _, g := range groups(t.report.Skips) {
		t.printf("%s: %s: %s\n  %s\n\n", t.paint(bold, plain(g.file)), t.paint(yellow, "not checked"),
			plain(g.reason), t.paint(faint, wrap(strings.Join(g.rules, ", "))))
	}
}

// gone lists what a baseline holds and no longer occurs.
func (t *text) gone() {
	for _, f := range t.report.Gone {
		t.printf("%s: %s: %s (%s)\n", t.paint(bold, plain(f.File)), t.paint(blue, "mended"), plain(f.Message), f.Rule)
	}
	if n := len(t.report.Gone); n > 0 {
		t.printf("  the baseline still holds %s: write it again\n\n", map[bool]string{true: "this", false: "these"}[n == 1])
	}
}

// summary is a report in one line.
func summary(r *validate.Report) string {
	var parts []string
	for _, s := range []validate.Severity{validate.Error, validate.Warning, validate.Info} {
		if n := r.Count(s); n > 0 {
			parts = append(parts, count(n, map[validate.Severity]string{
				validate.Error: "error", validate.Warning: "warning", validate.Info: "info",
			}[s]))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no findings"}
	}
	line := strings.Join(parts, ", ") + " in " + count(r.Plugins, "plugin.json file")
	if len(r.Profiles) > 0 {
		line += fmt.Sprintf(" (%s, found from the %s)", named("profile", r.Profiles), plural("file", r.Plugins))
	}
	if n := len(r.Suppressed); n > 0 {
		line += fmt.Sprintf("; %d suppressed", n)
	}
	if n := len(r.Gone); n > 0 {
		line += fmt.Sprintf("; %d of the baseline mended", n)
	}
	if n := len(r.Skips); n > 0 {
		line += "; " + count(n, "check") + " did not run"
	}
	return line
}

// printf writes to a bufio.Writer, which keeps the first error for Flush.
func (t *text) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

func (t *text) paint(color, s string) string {
	if !t.hasColor {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func place(p validate.Place) string { return plain(p.Address()) }

func count(n int, noun string) string { return fmt.Sprintf("%d %s", n, plural(noun, n)) }

func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

func named(noun string, names []string) string {
	return plural(noun, len(names)) + " " + strings.Join(names, " and ")
}

func plain(s string) string { return terminal.Line(s) }

// wrap breaks a list into lines of less than 100 characters.
func wrap(s string) string {
	var b strings.Builder
	width := 0
	for i, word := range strings.Fields(s) {
		switch {
		case width+len(word) > 95:
			b.WriteString("\n  ")
			width = 0
		case i > 0:
			b.WriteByte(' ')
		}
		b.WriteString(word)
		width += len(word) + 1
	}
	return b.String()
}
