package report

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/terminal"
	"github.com/slipway-dev/slipway/validate"
)

// The width of the source lines shown, and how much of a longer line is shown before
// the position, in characters.
const (
	maxWidth = 110
	context  = 40
)

// frame prints the source line with the position underlined.
func (t *writer) frame(p validate.Place, color string) {
	line := t.line(p.File, p.Line)
	if len(line) == 0 || p.Column < 1 || p.Column > len(line)+1 {
		return
	}
	from, to := p.Column-1, len(line)
	if p.EndLine == p.Line {
		to = min(p.EndColumn-1, len(line))
	}
	to = max(to, from+1)
	before, after := "", ""
	if len(line) > maxWidth && from > context {
		cut := from - context
		line, from, to, before = line[cut:], from-cut, to-cut, "…"
	}
	if len(line) > maxWidth {
		line, after = line[:maxWidth], "…"
		to = min(to, maxWidth)
	}
	indent := make([]rune, from)
	for i, r := range line[:from] {
		indent[i] = ' '
		if r == '\t' {
			indent[i] = '\t'
		}
	}
	number := fmt.Sprintf("%5d", p.Line)
	t.printf("%s | %s%s%s\n", t.paint(terminal.Dim, number), before, terminal.Printable(string(line)), after)
	t.printf("%s | %s%s%s\n", strings.Repeat(" ", len(number)), strings.Repeat(" ", len([]rune(before))),
		string(indent), t.paint(color, strings.Repeat("^", to-from)))
}

// source caches the file shown last, because the next finding is probably there too.
type source struct {
	file  string
	lines [][]byte
}

// line returns a line of a file, counted from 1, or nil if the file has no such line.
func (t *writer) line(file string, number int) []rune {
	s := &t.source
	if s.file != file {
		text := bytes.TrimPrefix(t.report.Sources[file], []byte("\uFEFF")) // which lines and columns do not count
		*s = source{file: file, lines: bytes.Split(text, []byte("\n"))}
	}
	if number < 1 || number > len(s.lines) {
		return nil
	}
	return []rune(string(bytes.TrimSuffix(s.lines[number-1], []byte("\r"))))
}
