package bundle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// SyntaxError is one thing that keeps a file from being JSON.
type SyntaxError struct {
	File    string
	Pos     Position
	End     Position // behind the last character, or Pos where something is missing
	Problem string
	Help    string
}

// Error returns "file:line:column: problem: help".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Pos.Line, e.Pos.Column, e.Problem, e.Help)
}

// SyntaxErrors is everything that keeps a file from being JSON, in its order, up
// to the first fault after which nothing can be told about the rest.
type SyntaxErrors []*SyntaxError

// Error returns the first error and the number of the others.
func (e SyntaxErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", e[0], len(e)-1)
}

// syntax reads a text as JSON and keeps what is wrong with it.
type syntax struct {
	doc    *Document
	open   []token // the brackets that are not closed yet
	last   token   // the one before, comments left out
	faults SyntaxErrors
}

// expect is what may come next.
type expect int

const (
	expectValue      expect = iota
	expectFirstValue        // or the end of the array
	expectFirstKey          // or the end of the object
	expectKey
	expectColon
	expectNext // a comma or the end of what is open
)

// checkSyntax returns everything that is wrong. After a comment or a comma too
// many it goes on, since it is clear what is meant; isReadable says that there is
// nothing else.
func (d *Document) checkSyntax() (faults SyntaxErrors, isReadable bool) {
	s := &syntax{doc: d}
	defer func() {
		slices.SortStableFunc(faults, func(a, b *SyntaxError) int { return a.Pos.Offset - b.Pos.Offset })
	}()
	next := expectValue
	for {
		t := nextToken(d.Data, s.last.to)
		for t.kind == tokenComment {
			if !s.comment(t) {
				return s.faults, false
			}
			t = nextToken(d.Data, t.to)
		}
		if t.kind == tokenEnd && next == expectNext && len(s.open) == 0 {
			return s.faults, true
		}
		var ok bool
		if next, ok = s.step(t, next); !ok {
			return s.faults, false
		}
		s.last = t
	}
}

// comment notes a comment; false if it has no end.
func (s *syntax) comment(t token) bool {
	if t.isOpen {
		return s.fault(t.from, t.from+2, "a comment without an end, and JSON has no comments", "delete it")
	}
	s.fault(t.from, t.to, "a comment, which JSON does not have", "delete it")
	return true
}

// step takes a token and returns what may come after it; false if it was wrong.
func (s *syntax) step(t token, next expect) (expect, bool) {
	if t.kind == tokenEnd {
		return 0, s.ends(t)
	}
	if t.kind == tokenOther {
		return 0, s.strange(t)
	}
	switch next {
	case expectColon:
		if t.kind == ':' {
			return expectValue, true
		}
		return 0, s.fault(s.last.to, s.last.to, "the colon between key and value is missing here", "add :")
	case expectFirstKey, expectKey:
		switch {
		case t.kind == '"':
			return expectColon, s.text(t)
		case t.kind == '}' && next == expectKey:
			s.fault(s.last.from, s.last.to, "a comma after the last entry", "delete it")
			fallthrough
		case t.kind == '}':
			return s.closes(t)
		}
		return 0, s.noKey(t)
	case expectNext:
		return s.follows(t)
	}
	return s.value(t, next)
}

// value takes the first token of a value.
func (s *syntax) value(t token, next expect) (expect, bool) {
	switch t.kind {
	case '{', '[':
		if len(s.open) == maxNesting {
			return 0, s.fault(t.from, t.to, fmt.Sprintf("more than %d values inside each other", maxNesting), "flatten it")
		}
		s.open = append(s.open, t)
		if t.kind == '{' {
			return expectFirstKey, true
		}
		return expectFirstValue, true
	case '"':
		return expectNext, s.text(t)
	case tokenWord:
		return expectNext, s.word(t)
	case ']':
		if s.last.kind == ',' && s.inside() == '[' {
			s.fault(s.last.from, s.last.to, "a comma after the last entry", "delete it")
			return s.closes(t)
		}
		if next == expectFirstValue {
			return s.closes(t)
		}
	}
	if s.last.kind == ':' {
		return 0, s.fault(s.last.to, s.last.to, "the value is missing here", "add one, such as \"\", or delete the key")
	}
	if t.kind == ',' {
		return 0, s.fault(t.from, t.to, "a comma without a value before it", "delete it")
	}
	return 0, s.fault(t.from, t.to, fmt.Sprintf("%c stands where a value is expected", t.kind), "add a value before it, or delete it")
}

// follows takes what comes after a value.
func (s *syntax) follows(t token) (expect, bool) {
	switch in := s.inside(); {
	case t.kind == '}' || t.kind == ']':
		return s.closes(t)
	case in == tokenEnd:
		return 0, s.fault(t.from, t.to, "the file goes on after its one value has ended", "delete what follows, or a bracket } that is too many before it")
	case t.kind == ',' && in == '{':
		return expectKey, true
	case t.kind == ',':
		return expectValue, true
	case t.kind == ':' && in == '[':
		return 0, s.fault(t.from, t.to, "a key in a list", "put { } around the key and its value, or write { } for [ ]")
	case t.kind == ':':
		return 0, s.fault(t.from, t.to, "a second colon after one key", "delete it, or put the value in quotes")
	}
	if t.kind == tokenWord && s.last.kind == '"' && t.from == s.last.to {
		return 0, s.fault(s.last.to-1, s.last.to, "a quote that ends the text before its end", `write \" for a quote in a text`)
	}
	return 0, s.fault(s.last.to, s.last.to, "a comma is missing here", "add ,")
}

// inside is the innermost bracket that is open, tokenEnd outside of all.
func (s *syntax) inside() tokenKind {
	if len(s.open) == 0 {
		return tokenEnd
	}
	return s.open[len(s.open)-1].kind
}

// closes takes a closing bracket.
func (s *syntax) closes(t token) (expect, bool) {
	opening := map[tokenKind]tokenKind{'}': '{', ']': '['}[t.kind]
	switch s.inside() {
	case opening:
		s.open = s.open[:len(s.open)-1]
		return expectNext, true
	case tokenEnd:
		return 0, s.fault(t.from, t.to, fmt.Sprintf("this %c closes nothing", t.kind), "delete it")
	}
	return 0, s.fault(t.from, t.to, fmt.Sprintf("this %c cannot close the %s", t.kind, s.innermost()), "close that first")
}

// innermost names the innermost open bracket and its place.
func (s *syntax) innermost() string {
	t := s.open[len(s.open)-1]
	at := s.doc.Position(t.from)
	return fmt.Sprintf("%c of line %d, column %d", t.kind, at.Line, at.Column)
}

// ends notes a text that ends too early.
func (s *syntax) ends(t token) bool {
	switch {
	case len(s.open) == 0 && len(s.faults) > 0:
		return s.fault(t.from, t.to, "the file holds nothing but comments", "write an object in { }")
	case len(s.open) == 0:
		return s.fault(0, 0, "the file is empty", "write an object in { }")
	}
	closing := map[tokenKind]string{'{': "}", '[': "]"}[s.inside()]
	return s.fault(s.last.to, s.last.to, fmt.Sprintf("the file ends before the %s is closed", s.innermost()), "add "+closing)
}

// noKey notes what stands in the place of a key.
func (s *syntax) noKey(t token) bool {
	switch text := s.doc.Data[t.from:t.to]; {
	case t.kind == tokenWord:
		return s.fault(t.from, t.to, "a key without quotes", fmt.Sprintf("write %q", text))
	case t.kind == ',':
		return s.fault(t.from, t.to, "a comma without an entry before it", "delete it")
	case t.kind == ']':
		return s.fault(t.from, t.to, fmt.Sprintf("this ] cannot close the %s", s.innermost()), "close that first")
	}
	return s.fault(t.from, t.to, fmt.Sprintf("%c stands where a key in quotes is expected", t.kind), "write a key and a colon before it, or delete it")
}

// word takes a value without quotes.
func (s *syntax) word(t token) bool {
	word := string(s.doc.Data[t.from:t.to])
	if json.Valid([]byte(word)) {
		return true
	}
	switch lower := strings.ToLower(word); {
	case lower == "true", lower == "false", lower == "null":
		return s.fault(t.from, t.to, word+" in capital letters", "write "+lower)
	case strings.Trim(word, "0123456789+-.eE") == "", strings.HasPrefix(lower, "0x"):
		return s.fault(t.from, t.to, word+" is not a number of JSON", "write it as 12 or -0.5, or put quotes around it")
	}
	return s.fault(t.from, t.to, "a text without quotes", fmt.Sprintf("write %q", word))
}

// text takes a text in quotes and looks for what must not be between them.
func (s *syntax) text(t token) bool {
	if t.isOpen {
		return s.fault(t.from, t.to, "a text that is not closed on its line", `add the quote " at its end`)
	}
	text := s.doc.Data[t.from:t.to]
	for i := 1; i < len(text)-1; i++ {
		at := t.from + i
		switch b := text[i]; {
		case b == '\t':
			return s.fault(at, at+1, "a tab in a text", `write \t`)
		case b < ' ':
			return s.fault(at, at+1, fmt.Sprintf("the control character U+%04X in a text", b), fmt.Sprintf(`delete it, or write \u%04x`, b))
		case b == '\\' && !isEscape(text[i:]):
			return s.fault(at, at+2, "a backslash that begins no escape of JSON", `write \\ for a backslash`)
		case b == '\\':
			i++
		}
	}
	return true
}

// isEscape says whether data begins with an escape of JSON.
func isEscape(data []byte) bool {
	if data[1] != 'u' {
		return bytes.IndexByte([]byte(`"\/bfnrt`), data[1]) >= 0
	}
	if len(data) < 6 {
		return false
	}
	_, err := hex.DecodeString(string(data[2:6]))
	return err == nil
}

// strange notes a character that JSON does not know.
func (s *syntax) strange(t token) bool {
	r, size := utf8.DecodeRune(s.doc.Data[t.from:])
	switch {
	case r == utf8.RuneError && size == 1:
		return s.fault(t.from, t.to, fmt.Sprintf("the byte 0x%02x, which is not UTF-8", s.doc.Data[t.from]), "save the file as UTF-8")
	case strings.ContainsRune("'`´‘’“”„«»", r):
		return s.fault(t.from, t.to, fmt.Sprintf("the quote %c, which JSON does not know", r), `write " around keys and texts`)
	case r == '\u00a0' || r == '\ufeff' || r == '\u200b':
		return s.fault(t.from, t.to, fmt.Sprintf("the invisible character %U", r), "delete it")
	case r == '=':
		return s.fault(t.from, t.to, "= stands where JSON has a colon", "write :")
	case r == ';':
		return s.fault(t.from, t.to, "; stands where JSON has a comma", "write , or delete it")
	}
	return s.fault(t.from, t.to, fmt.Sprintf("the character %q is not in quotes", r), "delete it, or put quotes around the text")
}

// fault notes a fault and returns false.
func (s *syntax) fault(from, to int, problem, help string) bool {
	d := s.doc
	s.faults = append(s.faults, &SyntaxError{File: d.File, Pos: d.Position(from), End: d.Position(to), Problem: problem, Help: help})
	return false
}
