package bundle

import (
	"bytes"
	"encoding/json"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
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

	root  hujson.Value
	lines []int // offset of the first byte of each line
	nodes map[string]node
	order []string // pointers in the order of the file
	dups  []Duplicate

	isASCII      bool // columns are bytes
	pointerBytes int  // in nodes
}

type node struct {
	value   *hujson.Value
	keyFrom int // -1 where there is no key
	keyTo   int
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
	if len(faults) > 0 {
		data = append(bytes.Clone(data), '\n') // hujson wants each comment to have an end
	}
	root, err := hujson.Parse(data)
	switch {
	case err != nil && len(faults) > 0:
		return nil, faults
	case err != nil:
		return nil, d.refuse(0, err.Error(), "report this, please")
	}
	d.root = root
	if at := d.index("", &d.root, -1, -1); at >= 0 {
		return nil, d.refuse(at, "keys too long and too many", "shorten them")
	}
	if len(faults) > 0 {
		return d, faults
	}
	return d, nil
}

func newDocument(file string, data []byte) *Document {
	return &Document{File: file, Data: data, lines: lineStarts(data), isASCII: isASCII(data), nodes: map[string]node{}}
}

func (d *Document) refuse(at int, problem, mend string) SyntaxErrors {
	return SyntaxErrors{{File: d.File, Pos: d.Position(at), End: d.Position(at), Problem: problem, Mend: mend}}
}

// index walks the tree once and fills nodes, order and dups. Of a repeated key
// the last value counts, as it does for whoever decodes the file. It returns the
// offset at which the document became too large, or -1.
func (d *Document) index(pointer string, v *hujson.Value, keyFrom, keyTo int) int {
	if d.pointerBytes += len(pointer); d.pointerBytes > maxPointerBytes {
		return v.StartOffset
	}
	d.order = append(d.order, pointer)
	d.nodes[pointer] = node{value: v, keyFrom: keyFrom, keyTo: keyTo}
	switch t := v.Value.(type) {
	case *hujson.Object:
		first, last := map[string]Span{}, map[string]int{}
		for i := range t.Members {
			name := &t.Members[i].Name
			key, span := name.Value.(hujson.Literal).String(), d.span(name.StartOffset, name.EndOffset)
			if earlier, again := first[key]; again {
				d.dups = append(d.dups, Duplicate{Pointer: pointer + "/" + EscapePointer(key), Key: key, Again: span, First: earlier})
			} else {
				first[key] = span
			}
			last[key] = i
		}
		for i := range t.Members {
			m := &t.Members[i]
			key := m.Name.Value.(hujson.Literal).String()
			if last[key] != i {
				continue
			}
			if at := d.index(pointer+"/"+EscapePointer(key), &m.Value, m.Name.StartOffset, m.Name.EndOffset); at >= 0 {
				return at
			}
		}
	case *hujson.Array:
		for i := range t.Elements {
			if at := d.index(pointer+"/"+strconv.Itoa(i), &t.Elements[i], -1, -1); at >= 0 {
				return at
			}
		}
	}
	return -1
}

// Duplicates lists the repeated keys in the order of the file.
func (d *Document) Duplicates() []Duplicate { return d.dups }

// Pointers lists every place of the document in the order of the file.
func (d *Document) Pointers() []string { return d.order }

// Has says whether there is a value at the pointer.
func (d *Document) Has(pointer string) bool {
	_, ok := d.nodes[pointer]
	return ok
}

// Value returns the span of the value at the pointer. A pointer into nothing
// gives its nearest ancestor, so that a finding always has a place.
func (d *Document) Value(pointer string) Span {
	n, _ := d.nearest(pointer)
	return d.span(n.value.StartOffset, n.value.EndOffset)
}

// Key returns the span of the key at the pointer, quotes included, or that of
// the value where there is no key (an array item, the whole).
func (d *Document) Key(pointer string) Span {
	n, exact := d.nearest(pointer)
	if n.keyFrom < 0 || !exact {
		return d.Value(pointer)
	}
	return d.span(n.keyFrom, n.keyTo)
}

func (d *Document) nearest(pointer string) (n node, exact bool) {
	exact = true
	for {
		if n, ok := d.nodes[pointer]; ok {
			return n, exact
		}
		exact = false
		pointer = pointer[:max(0, strings.LastIndexByte(pointer, '/'))]
	}
}

// Kind returns what is at the pointer in JSON Schema's words: object, array,
// string, number, boolean, null; "" where there is nothing.
func (d *Document) Kind(pointer string) string {
	n, ok := d.nodes[pointer]
	if !ok {
		return ""
	}
	switch n.value.Value.Kind() {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 'n':
		return "null"
	}
	return "boolean"
}

// Text returns the string at the pointer; ok is false for any other kind.
func (d *Document) Text(pointer string) (text string, ok bool) {
	if d.Kind(pointer) != "string" {
		return "", false
	}
	return d.nodes[pointer].value.Value.(hujson.Literal).String(), true
}

// Bool returns the boolean at the pointer; false for any other kind.
func (d *Document) Bool(pointer string) bool {
	return d.Kind(pointer) == "boolean" && d.nodes[pointer].value.Value.(hujson.Literal).Bool()
}

// Keys returns the keys of the object at the pointer in the order of the file,
// each once.
func (d *Document) Keys(pointer string) []string {
	n, ok := d.nodes[pointer]
	if !ok {
		return nil
	}
	obj, ok := n.value.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	var keys []string
	for _, m := range obj.Members {
		if key := m.Name.Value.(hujson.Literal).String(); !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
	}
	return keys
}

// Items returns the pointers of the items of the array at the pointer.
func (d *Document) Items(pointer string) []string {
	n, ok := d.nodes[pointer]
	if !ok {
		return nil
	}
	arr, ok := n.value.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	items := make([]string, len(arr.Elements))
	for i := range arr.Elements {
		items[i] = pointer + "/" + strconv.Itoa(i)
	}
	return items
}

// Any returns the document as encoding/json would decode it into an any, with
// numbers as json.Number. Of a repeated key the last value counts.
func (d *Document) Any() any { return anyOf(&d.root) }

func anyOf(v *hujson.Value) any {
	switch t := v.Value.(type) {
	case *hujson.Object:
		m := make(map[string]any, len(t.Members))
		for i := range t.Members {
			m[t.Members[i].Name.Value.(hujson.Literal).String()] = anyOf(&t.Members[i].Value)
		}
		return m
	case *hujson.Array:
		a := make([]any, len(t.Elements))
		for i := range t.Elements {
			a[i] = anyOf(&t.Elements[i])
		}
		return a
	}
	lit := v.Value.(hujson.Literal)
	switch lit.Kind() {
	case 'n':
		return nil
	case '"':
		return lit.String()
	case '0':
		return json.Number(lit)
	}
	return lit.Bool()
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
	starts := []int{0}
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

// EscapePointer escapes one token of a JSON pointer (RFC 6901).
func EscapePointer(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}

// UnescapePointer turns one token of a JSON pointer into the key it stands for.
func UnescapePointer(token string) string {
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
}
