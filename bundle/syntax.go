package bundle

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// SyntaxError is JSON that cannot be read, at the place where reading stopped.
type SyntaxError struct {
	File    string
	Pos     Position
	Problem string
}

// Error returns "file:line:column: problem".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Pos.Line, e.Pos.Column, e.Problem)
}

// nonStandard finds the first comment or trailing comma.
func (d *Document) nonStandard() error {
	for i, from := range []func() int{d.firstComment, d.firstTrailingComma} {
		if at := from(); at >= 0 {
			problem := [...]string{"a comment: JSON has none, delete it", "a comma after the last entry: delete it"}[i]
			return &SyntaxError{File: d.File, Pos: d.Position(at), Problem: problem}
		}
	}
	return &SyntaxError{File: d.File, Pos: d.Position(0), Problem: "not standard JSON"}
}

func (d *Document) firstComment() int {
	at := -1
	note := func(extra hujson.Extra, from int) {
		if i := bytes.IndexByte(extra, '/'); i >= 0 && (at < 0 || from+i < at) {
			at = from + i
		}
	}
	for v := range d.root.All() {
		note(v.BeforeExtra, v.StartOffset-len(v.BeforeExtra))
		note(v.AfterExtra, v.EndOffset)
		switch t := v.Value.(type) {
		case *hujson.Object:
			note(t.AfterExtra, v.EndOffset-1-len(t.AfterExtra))
		case *hujson.Array:
			note(t.AfterExtra, v.EndOffset-1-len(t.AfterExtra))
		}
	}
	return at
}

// firstTrailingComma relies on hujson, which keeps what stands between the last
// entry and a comma behind it as that entry's AfterExtra, nil without a comma.
func (d *Document) firstTrailingComma() int {
	at := -1
	for v := range d.root.All() {
		var last *hujson.Value
		switch t := v.Value.(type) {
		case *hujson.Object:
			if n := len(t.Members); n > 0 {
				last = &t.Members[n-1].Value
			}
		case *hujson.Array:
			if n := len(t.Elements); n > 0 {
				last = &t.Elements[n-1]
			}
		}
		if last == nil || last.AfterExtra == nil {
			continue
		}
		if comma := last.EndOffset + len(last.AfterExtra); at < 0 || comma < at {
			at = comma
		}
	}
	return at
}

// syntaxError turns hujson's "hujson: line L, column C: problem" (C in bytes)
// into a SyntaxError.
func (d *Document) syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "hujson: ")
	var line, column int
	if n, _ := fmt.Sscanf(text, "line %d, column %d:", &line, &column); n != 2 || line < 1 || line > len(d.lines) {
		return &SyntaxError{File: d.File, Pos: d.Position(len(d.Data)), Problem: text}
	}
	_, problem, _ := strings.Cut(text, ": ")
	return &SyntaxError{File: d.File, Pos: d.Position(d.lines[line-1] + column - 1), Problem: problem}
}

// tooDeep returns the offset of the bracket that opens a level beyond
// maxNesting, or -1. Brackets in strings and comments do not count.
func tooDeep(data []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case b == '\\' && inString:
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '/' && i+1 < len(data) && data[i+1] == '/':
			i += max(bytes.IndexByte(data[i:], '\n'), 1)
		case b == '/' && i+1 < len(data) && data[i+1] == '*':
			i += max(bytes.Index(data[i+2:], []byte("*/")), 0) + 3
		case b == '{' || b == '[':
			if depth++; depth > maxNesting {
				return i
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return -1
}
