package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// GitHub writes workflow commands, which GitHub Actions shows as annotations. The names of
// files must be relative to the root of the repository. The last line is a summary.
func GitHub(w io.Writer, r *validate.Report, _ Options) error {
	b := bufio.NewWriter(w)
	for _, f := range r.Findings {
		command := map[validate.Severity]string{validate.Error: "error", validate.Warning: "warning"}[f.Severity]
		if command == "" {
			command = "notice"
		}
		fmt.Fprintf(b, "::%s %s,title=%s::%s\n", command, githubPlace(f.Place), githubProperty(f.Rule), githubData(whole(f)))
	}
	for _, g := range groups(r.Skips) {
		command := "notice"
		if g.isBroken {
			command = "error"
		}
		fmt.Fprintf(b, "::%s %s,title=not checked::%s\n", command, githubPlace(validate.Place{File: g.file}),
			githubData(g.line()))
	}
	fmt.Fprintln(b, summary(r))
	return b.Flush()
}

// whole returns the message of a finding, with its help and its related places in lines of their own.
func whole(f validate.Finding) string {
	message := f.Message
	if f.Help != "" {
		message += "\nhelp: " + f.Help
	}
	for _, related := range f.Related {
		message += "\nsee " + related.Address() + ": " + related.Message
	}
	return message
}

// githubPlace returns the properties of a position. GitHub accepts columns only for a
// single line.
func githubPlace(p validate.Place) string {
	s := "file=" + githubProperty(p.File)
	if p.Line == 0 {
		return s
	}
	s += fmt.Sprintf(",line=%d", p.Line)
	if p.EndLine >= p.Line {
		s += fmt.Sprintf(",endLine=%d", p.EndLine)
	}
	if p.EndLine == p.Line && p.Column > 0 {
		s += fmt.Sprintf(",col=%d,endColumn=%d", p.Column, p.EndColumn)
	}
	return s
}

// githubData escapes a message and replaces control characters except line breaks.
func githubData(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(terminal.Line(lines[i]), "%", "%25")
	}
	return strings.Join(lines, "%0A")
}

func githubProperty(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\r' && r != '\n' {
			return unicode.ReplacementChar
		}
		return r
	}, s)
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
