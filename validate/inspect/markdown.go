package inspect

import (
	"bytes"
	"regexp"
)

var (
	codeSpan = regexp.MustCompile("``[^\n]*?``|`[^`\n]+`")
	fences   = regexp.MustCompile("^(?:`{3,}|~{3,})")
)

// WithoutCode returns Markdown with its code replaced by spaces, so that offsets stay
// valid. Code is fenced, in a span, or indented after an empty line.
func WithoutCode(data []byte) []byte {
	out := bytes.Clone(data)
	var fence []byte
	isAfterBlank := true
	at := 0
	for line := range bytes.Lines(data) {
		trimmed := bytes.TrimSpace(line)
		mark := fences.Find(trimmed)
		isIndented := bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
		isListItem := bytes.IndexAny(trimmed, "-*+![<0123456789") == 0 // which may be indented
		switch {
		case fence != nil:
			blank(out[at : at+len(line)])
			if mark != nil && mark[0] == fence[0] && len(mark) >= len(fence) && len(mark) == len(trimmed) {
				fence = nil
			}
		case mark != nil:
			fence = mark
			blank(out[at : at+len(line)])
		case isIndented && isAfterBlank && len(trimmed) > 0 && !isListItem:
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

func blank(data []byte) {
	for i, b := range data {
		if b != '\n' && b != '\r' {
			data[i] = ' '
		}
	}
}
