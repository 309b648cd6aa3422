package inspect

import (
	"bytes"
	"regexp"
)

var codeSpan = regexp.MustCompile("``[^\n]*?``|`[^`\n]+`")

// WithoutCode returns Markdown with its code replaced by spaces, so that offsets stay
// valid. Code is fenced, in a span, or indented after an empty line.
func WithoutCode(data []byte) []byte {
	out := bytes.Clone(data)
	fence := ""
	isAfterBlank := true
	at := 0
	for line := range bytes.Lines(data) {
		trimmed := bytes.TrimSpace(line)
		mark := fenceOf(trimmed)
		isIndented := bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
		switch {
		case fence != "":
			blank(out[at : at+len(line)])
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && len(mark) == len(trimmed) {
				fence = ""
			}
		case mark != "":
			fence = mark
			blank(out[at : at+len(line)])
		case isIndented && isAfterBlank && len(trimmed) > 0 && !isListItem(trimmed):
			blank(out[at : at+len(line)])
		default:
			isAfterBlank = len(trimmed) == 0
		}
		at += len(line)
	}
	for _, m := range codeSpan.FindAllIndex(out, -1) {
		blank(out[m[0]:m[1]])
	}
	return out
}

// fenceOf returns the fence that a line begins with, or "".
func fenceOf(line []byte) string {
	for _, mark := range []byte("`~") {
		n := 0
		for n < len(line) && line[n] == mark {
			n++
		}
		if n >= 3 {
			return string(line[:n])
		}
	}
	return ""
}

// isListItem reports whether a line begins a list item, which may be indented.
func isListItem(line []byte) bool {
	return bytes.ContainsAny(line[:1], "-*+![<0123456789")
}

func blank(data []byte) {
	for i, b := range data {
		if b != '\n' && b != '\r' {
			data[i] = ' '
		}
	}
}
