package bundle

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"unicode/utf8"
)

// Position is a place in a text file. Line and Column count from 1, Column in
// Unicode code points; Offset counts bytes from 0.
type Position struct {
	Line   int
	Column int
	Offset int
}

// Span is a stretch of a text file; End is the first position after it.
type Span struct {
	Start Position
	End   Position
}

// Document is a parsed JSON file that remembers where everything was. A place
// in it is named by its JSON pointer ("" is the whole, "/info/version").
type Document struct {
	File string
	Data []byte // as read

	text  string // Data, so that keys and texts are parts of it
	lines []int  // offset of the first byte of each line
	nodes []node // the first is the root
	large map[int32]*largeNode
	dups  []Duplicate

	isASCII      bool // columns are bytes
	pointerBytes int  // of all places
}

// Duplicate is a key that an object holds more than once.
type Duplicate struct {
	Pointer string // of the value that counts, the last one
	Key     string
	Again   Span // the later key
	First   Span // the first key
}

// Hostile files are refused before they cost anything: each level of nesting
// takes stack, each value the bytes of its pointer.
const (
	maxNesting      = 64
	maxPointerBytes = 4 << 20
)

// ParseDocument reads a JSON file. What keeps it from being JSON is in
// SyntaxErrors; where that is only comments and commas after a last entry, the
// document is returned beside them.
func ParseDocument(file string, data []byte) (*Document, error) {
	d := newDocument(file, data)
	faults, isReadable := d.checkSyntax()
	if !isReadable {
		return nil, faults
	}
	if at := d.build(); at >= 0 {
		return nil, d.refuse(at, "keys too long and too many", "shorten them")
	}
	if len(faults) > 0 {
		return d, faults
	}
	return d, nil
}

func newDocument(file string, data []byte) *Document {
	return &Document{File: file, Data: data, lines: lineStarts(data), isASCII: isASCII(data)}
}

func (d *Document) refuse(at int, problem, help string) SyntaxErrors {
	return SyntaxErrors{{File: d.File, Pos: d.Position(at), End: d.Position(at), Problem: problem, Help: help}}
}

// Duplicates lists the repeated keys in the order of the file.
func (d *Document) Duplicates() []Duplicate { return d.dups }

// Pointers lists every place of the document in the order of the file.
func (d *Document) Pointers() []string { return d.pointers(nil, 0, "") }

func (d *Document) pointers(to []string, at int32, pointer string) []string {
	to = append(to, pointer)
	i := 0
	for c := d.nodes[at].first; c >= 0; c = d.nodes[c].next {
		token := strconv.Itoa(i)
		if d.nodes[at].kind == '{' {
			token = EscapePointer(d.nodes[c].key)
		}
		to = d.pointers(to, c, pointer+"/"+token)
		i++
	}
	return to
}

// Has says whether there is a value at the pointer.
func (d *Document) Has(pointer string) bool {
	_, ok := d.find(pointer)
	return ok
}

// Value returns the span of the value at the pointer. A pointer into nothing
// gives its nearest ancestor, so that a finding always has a place.
func (d *Document) Value(pointer string) Span {
	n, _ := d.find(pointer)
	return d.span(n.from, n.to)
}

// Key returns the span of the key at the pointer, quotes included, or that of
// the value where there is no key (an array item, the whole).
func (d *Document) Key(pointer string) Span {
	n, isThere := d.find(pointer)
	if n.keyFrom < 0 || !isThere {
		return d.span(n.from, n.to)
	}
	return d.span(n.keyFrom, n.keyTo)
}

// Kind returns what is at the pointer in JSON Schema's words: object, array,
// string, number, boolean, null; "" where there is nothing.
func (d *Document) Kind(pointer string) string {
	n, ok := d.find(pointer)
	if !ok {
		return ""
	}
	return n.kind.String()
}

// Text returns the string at the pointer; ok is false for any other kind.
func (d *Document) Text(pointer string) (text string, ok bool) {
	n, ok := d.find(pointer)
	if !ok || n.kind != '"' {
		return "", false
	}
	return d.unquote(n.from, n.to), true
}

// Bool returns the boolean at the pointer; false for any other kind.
func (d *Document) Bool(pointer string) bool {
	n, ok := d.find(pointer)
	return ok && n.kind == 't' && d.Data[n.from] == 't'
}

// Keys returns the keys of the object at the pointer in the order of the file,
// each once.
func (d *Document) Keys(pointer string) []string {
	n, ok := d.find(pointer)
	if !ok || n.kind != '{' {
		return nil
	}
	var keys []string
	for c := n.first; c >= 0; c = d.nodes[c].next {
		keys = append(keys, d.nodes[c].key)
	}
	return keys
}

// Items returns the pointers of the items of the array at the pointer.
func (d *Document) Items(pointer string) []string {
	n, ok := d.find(pointer)
	if !ok || n.kind != '[' {
		return nil
	}
	items := []string{}
	for c := n.first; c >= 0; c = d.nodes[c].next {
		items = append(items, pointer+"/"+strconv.Itoa(len(items)))
	}
	return items
}

// Any returns the document as encoding/json would decode it into an any, with
// numbers as json.Number. Of a repeated key the last value counts.
func (d *Document) Any() any { return d.anyOf(0) }

func (d *Document) anyOf(at int32) any {
	n := d.nodes[at]
	switch n.kind {
	case '{':
		m := map[string]any{}
		for c := n.first; c >= 0; c = d.nodes[c].next {
			m[d.nodes[c].key] = d.anyOf(c)
		}
		return m
	case '[':
		a := []any{}
		for c := n.first; c >= 0; c = d.nodes[c].next {
			a = append(a, d.anyOf(c))
		}
		return a
	case '"':
		return d.unquote(n.from, n.to)
	case '0':
		return json.Number(d.text[n.from:n.to])
	case 'n':
		return nil
	}
	return d.Data[n.from] == 't'
}

// Position turns a byte offset into a position.
func (d *Document) Position(offset int) Position {
	offset = min(max(offset, 0), len(d.Data))
	line := sort.SearchInts(d.lines, offset+1) - 1
	start := d.lines[line]
	column := offset - start
	if !d.isASCII {
		column = utf8.RuneCount(d.Data[start:offset])
	}
	return Position{Line: line + 1, Column: column + 1, Offset: offset}
}

// PositionIn turns a byte offset of a text into a position.
func PositionIn(data []byte, offset int) Position { return newDocument("", data).Position(offset) }

func (d *Document) span(from, to int) Span {
	return Span{Start: d.Position(from), End: d.Position(to)}
}

func lineStarts(data []byte) []int {
	starts := append(make([]int, 0, bytes.Count(data, []byte("\n"))+1), 0)
	for i, b := range data {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func isASCII(data []byte) bool {
	for _, b := range data {
		if b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
