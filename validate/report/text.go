package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/validate"
)

// Text writes a report for people: each finding with its position, severity, rule,
// message, source line, help and related positions; then the checks that did not run,
// the baseline entries that no longer occur, the number of findings of each rule if there
// are many, and a summary in one line.
func Text(w io.Writer, r *validate.Report, o Options) error {
	if err := Findings(w, r.Findings, r.Sources, o); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	t := &writer{w: b, report: r, hasColor: o.HasColor, isVerbose: o.IsVerbose}
	t.skips(terminal.Width(w, 97))
	t.gone()
	t.counts()
	t.printf("%s\n", summary(r))
	return b.Flush()
}

// Findings writes findings as Text does, each with its source line, and nothing else.
// Sources holds the text of the files by path. Of the info findings of a rule, it writes the
// first ones and the number of the others, unless o.IsVerbose is set.
func Findings(w io.Writer, findings []validate.Finding, sources map[string][]byte, o Options) error {
	b := bufio.NewWriter(w)
	t := &writer{w: b, report: &validate.Report{Sources: sources}, hasColor: o.HasColor}
	shown, more := findings, []string(nil)
	if !o.IsVerbose {
		shown, more = firstInfos(findings)
	}
	places := map[repeated][]validate.Place{}
	for _, f := range shown {
		places[repeatOf(f)] = append(places[repeatOf(f)], f.Place)
	}
	for _, f := range shown {
		if all := places[repeatOf(f)]; all[0] == f.Place {
			t.finding(f, all[1:])
		}
	}
	for _, line := range more {
		t.printf("%s: %s\n\n", t.paint(terminal.Blue, string(validate.Info)), line)
	}
	return b.Flush()
}

// firstInfos leaves out info findings of a rule beyond the first ones. It returns a line about
// those of each rule.
func firstInfos(findings []validate.Finding) (shown []validate.Finding, more []string) {
	const most = 3
	count := map[string]int{}
	for _, f := range findings {
		if f.Severity == validate.Info {
			count[f.Rule]++
		}
		if f.Severity != validate.Info || count[f.Rule] <= most {
			shown = append(shown, f)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(count)) {
		if n := count[rule] - most; n > 0 {
			more = append(more, text.Plural(n, "more finding")+" of "+rule+", which a verbose report lists")
		}
	}
	return shown, more
}

// repeated is what the findings of a mistake that several plugins share have in common, such as
// those nested in one app. They are printed as one.
type repeated struct {
	rule, severity, pointer, message, help string
	place                                  validate.Place // only of findings that are printed alone
}

func repeatOf(f validate.Finding) repeated {
	r := repeated{f.Rule, string(f.Severity), f.Pointer, f.Message, f.Help, validate.Place{}}
	if f.Pointer == "" || len(f.Related) > 0 {
		r.place = f.Place
	}
	return r
}

type writer struct {
	w         io.Writer
	report    *validate.Report
	hasColor  bool
	isVerbose bool
	source    source // shown last
}

// finding prints a finding, and where else it occurs.
func (t *writer) finding(f validate.Finding, also []validate.Place) {
	color := map[validate.Severity]string{validate.Error: terminal.Red, validate.Warning: terminal.Magenta}[f.Severity]
	if color == "" {
		color = terminal.Blue
	}
	t.printf("%s: %s %s: %s\n", t.paint(terminal.Bold, place(f.Place)), t.paint(color, string(f.Severity)), f.Rule, terminal.Line(f.Message))
	t.frame(f.Place, color)
	if f.Help != "" {
		t.printf("  help: %s\n", terminal.Line(f.Help))
	}
	for _, r := range f.Related {
		t.printf("  see %s: %s\n", place(r.Place), terminal.Line(r.Message))
	}
	for _, p := range also {
		t.printf("  also %s\n", place(p))
	}
	t.printf("\n")
}

// skips prints the checks that did not run, their names in lines of a width.
func (t *writer) skips(width int) {
	for _, g := range groups(t.report.Skips) {
		t.printf("%s: %s: %s\n", t.paint(terminal.Bold, terminal.Line(g.file)), t.paint(terminal.Magenta, "not checked"), terminal.Line(g.line()))
		if t.isVerbose && len(g.rules) > 1 {
			t.printf("  %s\n", t.paint(terminal.Dim, text.Wrap(strings.Join(g.rules, ", "), "  ", width)))
		}
		t.printf("\n")
	}
	for _, g := range groups(t.report.Elsewhere) {
		if t.isVerbose {
			t.printf("not run here, %s:\n  %s\n\n", g.reason, t.paint(terminal.Dim, text.Wrap(strings.Join(g.rules, ", "), "  ", width)))
		}
	}
}

func (t *writer) gone() {
	for _, f := range t.report.Gone {
		t.printf("%s: %s: %s (%s)\n", t.paint(terminal.Bold, terminal.Line(f.File)), t.paint(terminal.Blue, "fixed"), terminal.Line(f.Message), f.Rule)
	}
	if n := len(t.report.Gone); n > 0 {
		t.printf("  help: update the baseline, which still contains %s\n\n", text.Plural(n, "fixed finding"))
	}
}

// manyFindings is the number of findings above which those of each rule are counted.
const manyFindings = 20

// counts prints how many findings each rule has, the most frequent first, if there are many.
func (t *writer) counts() {
	if len(t.report.Findings) <= manyFindings {
		return
	}
	of := map[string]int{}
	for _, f := range t.report.Findings {
		of[f.Rule]++
	}
	byCount := func(a, b string) int { return cmp.Or(of[b]-of[a], strings.Compare(a, b)) }
	for _, rule := range slices.SortedFunc(maps.Keys(of), byCount) {
		t.printf("%5d %s\n", of[rule], rule)
	}
	t.printf("\n")
}

func summary(r *validate.Report) string {
	var parts []string
	adjective := ""
	if r.HasBaseline {
		adjective = "new "
	}
	for _, s := range []validate.Severity{validate.Error, validate.Warning, validate.Info} {
		if n := r.Count(s); n > 0 {
			parts = append(parts, text.Plural(n, adjective+strings.Replace(string(s), "info", "info finding", 1)))
		}
	}
	if len(parts) == 0 {
		parts = []string{"no " + adjective + "findings"}
	}
	line := strings.Join(parts, ", ") + " in " + text.Plural(r.Plugins, "plugin.json file")
	if len(r.Profiles) > 0 {
		noun := "profile"
		if len(r.Profiles) > 1 {
			noun = "profiles"
		}
		line += fmt.Sprintf(" (%s: %s; detected)", noun, strings.Join(r.Profiles, ", "))
	}
	if n := len(r.Suppressed); n > 0 {
		line += fmt.Sprintf("; %d suppressed", n)
	}
	if n := len(r.Gone); n > 0 {
		line += fmt.Sprintf("; %d fixed since the baseline", n)
	}
	if n := len(r.Skips); n > 0 {
		line += "; " + text.Plural(n, "check") + " did not run"
	}
	elsewhere := 0
	for _, g := range groups(r.Elsewhere) {
		elsewhere += len(g.rules)
	}
	if elsewhere > 0 {
		line += "; " + text.Plural(elsewhere, "rule") + " for other forms of a plugin did not run"
	}
	return line
}

// printf writes to a bufio.Writer, which keeps the first error for Flush.
func (t *writer) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

func (t *writer) paint(color, s string) string {
	if !t.hasColor {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

func place(p validate.Place) string { return terminal.Line(p.Address()) }
