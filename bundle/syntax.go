package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// SyntaxError is an error in the syntax of a JSON file.
type SyntaxError struct {
	File    string
	Pos     Position
	End     Position // after the last character, or Pos where something is missing
	Problem string
	Help    string
}

// Error returns "file:line:column: problem: help".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", e.File, e.Pos.Line, e.Pos.Column, e.Problem, e.Help)
}

// SyntaxErrors lists the errors in the order of the file, up to the first one that
// makes the rest of the file impossible to understand.
type SyntaxErrors []*SyntaxError

// Error returns the first error and the number of the others.
func (e SyntaxErrors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", e[0], len(e)-1)
}

func (d *Document) syntaxError(from, to int, problem, help string) *SyntaxError {
	return &SyntaxError{File: d.File, Pos: d.Position(from), End: d.Position(to), Problem: problem, Help: help}
}

type syntax struct {
	doc   *Document
	json  []byte  // of the document, without what drop has reported
	open  []token // the brackets that are not closed
	last  token   // the previous token, comments excluded
	isKey bool    // last is the key of an object
	errs  SyntaxErrors
}

// checkSyntax returns all syntax errors. If the only ones are comments, and commas that are missing or
// trailing, ok is true, and text is the JSON without them, of the same length, nested at most
// maxNesting deep.
func (d *Document) checkSyntax() (text []byte, errs SyntaxErrors, ok bool) {
	s := &syntax{doc: d, json: d.Data}
	for t := nextToken(d.Data, 0); ; t = nextToken(d.Data, t.to) {
		if t.kind == tokenComment && !t.isOpen {
			s.drop(t, "comments are not allowed", "delete the comment, or move what it explains to README.md")
			continue
		}
		err := s.check(t)
		if err != nil {
			s.errs = append(s.errs, err)
		}
		if err != nil || t.kind == tokenEnd {
			// A trailing comma is found after the comments that follow it.
			slices.SortStableFunc(s.errs, func(a, b *SyntaxError) int { return a.Pos.Offset - b.Pos.Offset })
			return s.json, s.errs, err == nil
		}
		s.last = t
	}
}

// drop reports a token that JSON does not allow, and replaces it with spaces.
func (s *syntax) drop(t token, problem, help string) {
	if len(s.errs) == 0 {
		s.json = bytes.Clone(s.doc.Data)
	}
	s.errs = append(s.errs, s.at(t, problem, help))
	for i := t.from; i < t.to; i++ {
		s.json[i] = ' '
	}
}

// check returns what is wrong with the next token.
func (s *syntax) check(t token) *SyntaxError {
	switch t.kind {
	case tokenEnd:
		return s.end(t)
	case tokenComment:
		return s.doc.syntaxError(t.from, t.from+2, "unterminated comment", "delete it: comments are not allowed in JSON")
	case tokenOther:
		return s.character(t)
	}
	switch {
	case s.last.kind == tokenEnd, s.last.kind == '[', s.last.kind == ':', s.last.kind == ',' && s.inside() == '[':
		return s.value(t)
	case s.last.kind == '{', s.last.kind == ',':
		return s.key(t)
	case s.last.kind == '"' && s.isKey && t.kind == ':':
		return nil
	case s.last.kind == '"' && s.isKey:
		return s.missing("expected a colon after the key", "add :")
	}
	return s.next(t)
}

func (s *syntax) at(t token, problem, help string) *SyntaxError {
	return s.doc.syntaxError(t.from, t.to, problem, help)
}

// missing reports something that is missing after the last token.
func (s *syntax) missing(problem, help string) *SyntaxError {
	return s.doc.syntaxError(s.last.to, s.last.to, problem, help)
}

func (s *syntax) inside() byte {
	if len(s.open) == 0 {
		return tokenEnd
	}
	return s.open[len(s.open)-1].kind
}

func (s *syntax) innermost() string {
	t := s.open[len(s.open)-1]
	at := s.doc.Position(t.from)
	return fmt.Sprintf("the %c at line %d, column %d", t.kind, at.Line, at.Column)
}

// key checks a token where a key or the end of an object is expected.
func (s *syntax) key(t token) *SyntaxError {
	switch t.kind {
	case '"':
		s.isKey = true
		return s.text(t)
	case '}':
		if s.last.kind == ',' {
			s.drop(s.last, "trailing comma", "delete it")
		}
		return s.closing(t)
	case ']':
		return s.closing(t)
	case tokenWord:
		return s.at(t, "keys must be quoted", fmt.Sprintf("write %q", s.doc.Data[t.from:t.to]))
	case ',':
		return s.at(t, "expected a key, found a comma", "delete it")
	}
	return s.at(t, fmt.Sprintf("expected a key, found %c", t.kind), "add a quoted key and a colon before it, or delete it")
}

// value checks a token where a value or the end of an array is expected.
func (s *syntax) value(t token) *SyntaxError {
	switch t.kind {
	case '{', '[':
		if len(s.open) == maxNesting {
			return s.at(t, fmt.Sprintf("nested more than %d levels deep", maxNesting), "flatten it")
		}
		s.open = append(s.open, t)
		return nil
	case '"':
		if s.last.kind == ',' && s.isMember(t) {
			return s.doc.syntaxError(s.last.from, s.last.from, "expected ] to close "+s.innermost(), "add ]")
		}
		s.isKey = false
		return s.text(t)
	case tokenWord:
		return s.word(t)
	case ']':
		switch {
		case s.last.kind == '[':
			return s.closing(t)
		case s.last.kind == ',':
			s.drop(s.last, "trailing comma", "delete it")
			return s.closing(t)
		}
	}
	switch {
	case s.last.kind == ':':
		return s.missing("expected a value after the colon", `add one, such as "", or delete the key`)
	case t.kind == ',':
		return s.at(t, "expected a value, found a comma", "delete it")
	}
	return s.at(t, fmt.Sprintf("expected a value, found %c", t.kind), "add a value before it, or delete it")
}

// next checks a token after a value.
func (s *syntax) next(t token) *SyntaxError {
	in := s.inside()
	switch {
	case t.kind == '}', t.kind == ']':
		return s.closing(t)
	case in == tokenEnd:
		return s.at(t, "unexpected text after the end of the JSON value", "delete it, or an extra } before it")
	case t.kind == ',':
		return nil
	case in == '[' && s.isMember(t):
		return s.missing("expected ] to close "+s.innermost(), "add ], and a comma after it")
	case t.kind == ':' && in == '[':
		return s.at(t, "unexpected colon in an array", "put { } around the key and its value, or change [ ] to { }")
	case t.kind == ':':
		return s.at(t, "unexpected second colon", "delete it, or quote the value")
	case t.kind == tokenWord && s.last.kind == '"' && t.from == s.last.to:
		return s.doc.syntaxError(s.last.to-1, s.last.to, "this quote ends the string early", `write \" for a quote in a string`)
	}
	if at := s.last.to; at < t.from && isSpace(s.doc.Data[at]) { // the commonest slip; the rest can be read
		s.drop(token{from: at, to: at}, ExpectedComma, "add ,")
		s.json[at] = ','
		s.last = token{kind: ',', from: at, to: at + 1}
		return s.check(t)
	}
	return s.missing(ExpectedComma, "add ,")
}

// ExpectedComma is the problem of a missing comma.
const ExpectedComma = "expected a comma"

// isMember reports whether a token is a key with a colon, which means that an array around it is
// not closed.
func (s *syntax) isMember(t token) bool {
	return t.kind == '"' && !t.isOpen && len(s.open) > 1 && nextToken(s.doc.Data, t.to).kind == ':'
}

func (s *syntax) closing(t token) *SyntaxError {
	switch {
	case len(s.open) == 0:
		return s.at(t, fmt.Sprintf("unmatched %c", t.kind), "delete it")
	case (s.inside() == '{') != (t.kind == '}'):
		return s.at(t, fmt.Sprintf("%c does not close %s", t.kind, s.innermost()), "close that first")
	}
	s.open = s.open[:len(s.open)-1]
	return nil
}

func (s *syntax) end(t token) *SyntaxError {
	switch {
	case s.inside() == '{' && s.last.kind == ':':
		return s.missing("unexpected end of file: "+s.innermost()+" is not closed, and its last key has no value", "add a value and }")
	case s.inside() == '{':
		return s.missing("unexpected end of file: "+s.innermost()+" is not closed", "add }")
	case s.inside() == '[':
		return s.missing("unexpected end of file: "+s.innermost()+" is not closed", "add ]")
	case s.last.kind != tokenEnd:
		return nil
	case len(s.errs) > 0:
		return s.at(t, "the file contains only comments", "write an object in { }")
	}
	return s.doc.syntaxError(0, 0, "the file is empty", "write an object in { }")
}

// word checks a value without quotes.
func (s *syntax) word(t token) *SyntaxError {
	word := string(s.doc.Data[t.from:t.to])
	if json.Valid([]byte(word)) {
		return nil
	}
	switch lower := strings.ToLower(word); {
	case lower == "true", lower == "false", lower == "null":
		return s.at(t, word+" must be lowercase", "write "+lower)
	case strings.Trim(word, "0123456789+-.eE") == "", strings.HasPrefix(lower, "0x"):
		return s.at(t, "invalid number "+word, "write it like 12 or -0.5, or quote it")
	}
	return s.at(t, "strings must be quoted", fmt.Sprintf("write %q", word))
}

func (s *syntax) text(t token) *SyntaxError {
	if t.isOpen {
		return s.at(t, "unterminated string", `add a closing "`)
	}
	text := s.doc.Data[t.from:t.to]
	for i := 1; i < len(text)-1; i++ {
		at := t.from + i
		switch b := text[i]; {
		case b == '\t':
			return s.doc.syntaxError(at, at+1, "unescaped tab in a string", `write \t`)
		case b < ' ':
			return s.doc.syntaxError(at, at+1, fmt.Sprintf("unescaped control character U+%04X in a string", b),
				fmt.Sprintf(`delete it, or write \u%04x`, b))
		case b == '\\':
			length := 2
			if text[i+1] == 'u' {
				length = min(6, len(text)-1-i)
			}
			if !json.Valid(slices.Concat([]byte(`"`), text[i:i+length], []byte(`"`))) {
				return s.doc.syntaxError(at, at+2, "invalid escape in a string", `write \\ for a backslash`)
			}
			i++
		}
	}
	return nil
}

// character words the error for a character that begins no token.
func (s *syntax) character(t token) *SyntaxError {
	r, size := utf8.DecodeRune(s.doc.Data[t.from:])
	switch {
	case r == utf8.RuneError && size == 1:
		return s.at(t, fmt.Sprintf("invalid UTF-8: byte 0x%02x", s.doc.Data[t.from]), "save the file as UTF-8")
	case strings.ContainsRune("'`´‘’“”„«»", r):
		return s.at(t, fmt.Sprintf("unexpected quote %c", r), `use " around keys and strings`)
	case r == '\u00a0' || r == '\ufeff' || r == '\u200b':
		return s.at(t, fmt.Sprintf("invisible character %U", r), "delete it")
	case bytes.HasPrefix(s.doc.Data[t.from:], []byte("<<<<<<<")):
		end := len(s.doc.Data)
		if i := bytes.Index(s.doc.Data[t.from:], []byte("\n>>>>>>>")); i >= 0 {
			end = t.from + i + len("\n>>>>>>>")
		}
		return s.doc.syntaxError(t.from, end, fmt.Sprintf("unresolved merge conflict in lines %d to %d", s.doc.Position(t.from).Line,
			s.doc.Position(end).Line), "keep one side of it, or both, and delete the lines that begin with <, = and >")
	case r == '<' && s.last.kind == tokenEnd:
		return s.at(t, "the file is HTML or XML, not JSON", "restore the file: it may be the error page of a server")
	case r == '=':
		return s.at(t, "expected a colon, found =", "write :")
	case r == ';':
		return s.at(t, "expected a comma, found ;", "write , or delete it")
	}
	return s.at(t, fmt.Sprintf("unexpected character %q", r), "delete it, or quote the string that it belongs to")
}

// token is a part of a text that should be JSON. Its kind is the first byte of a
// bracket, colon, comma or string, or one of the constants below.
type token struct {
	kind     byte
	from, to int  // byte offsets
	isOpen   bool // a string or comment without an end
}

const (
	tokenEnd     = 0
	tokenComment = '/'
	tokenWord    = 'a' // true, 12, or what should be quoted
	tokenOther   = '?' // any other character
)

// nextToken returns the first token at or after the offset. An unterminated string
// extends to the end of its line, an unterminated comment to that of the text.
func nextToken(data []byte, at int) token {
	for at < len(data) && isSpace(data[at]) {
		at++
	}
	if at == len(data) {
		return token{kind: tokenEnd, from: at, to: at}
	}
	t := token{from: at}
	rest := data[at:]
	switch {
	case strings.IndexByte("{}[]:,", rest[0]) >= 0:
		t.kind, t.to = rest[0], at+1
	case rest[0] == '"':
		t.kind = '"'
		t.to, t.isOpen = stringEnd(data, at)
	case rest[0] == '#', bytes.HasPrefix(rest, []byte("//")):
		t.kind, t.to = tokenComment, len(data)
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			t.to = at + i
		}
	case bytes.HasPrefix(rest, []byte("/*")):
		t.kind, t.to, t.isOpen = tokenComment, len(data), true
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			t.to, t.isOpen = at+i+4, false
		}
	case isWordByte(rest[0]):
		t.kind, t.to = tokenWord, at
		for t.to < len(data) && isWordByte(data[t.to]) {
			t.to++
		}
	default:
		_, size := utf8.DecodeRune(rest)
		t.kind, t.to = tokenOther, at+size
	}
	return t
}

// stringEnd returns where the string at an offset ends, which is the end of the line
// if it is not closed there.
func stringEnd(data []byte, at int) (end int, isOpen bool) {
	for i := at + 1; i < len(data); i++ {
		switch data[i] {
		case '"':
			return i + 1, false
		case '\r', '\n':
			return i, true
		case '\\':
			if i+1 < len(data) && data[i+1] != '\r' && data[i+1] != '\n' {
				i++
			}
		}
	}
	return len(data), true
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\r' || b == '\n' }

func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte("+-._$", b) >= 0
}
