package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// Position is a location in a text file. Line and Column count from 1, Column in
// Unicode code points; Offset counts bytes from 0.
type Position struct {
	Line   int
	Column int
	Offset int
}

// Span is a range of a text file; End is the first position after it.
type Span struct {
	Start Position
	End   Position
}

// Document is a parsed JSON file with the position of each value. Values are named by
// JSON pointers (RFC 6901): "" is the root, and "/info/version" a value below it.
type Document struct {
	File string
	Data []byte // as read

	text         string // Data with spaces for comments and trailing commas
	lines        []int  // offset of the first byte of each line
	isASCII      bool   // a column is a byte
	marks        []mark // if not isASCII, one for each KiB
	root         node
	duplicates   []Duplicate
	firstKeys    map[*node]Span // of repeated keys
	pointerBytes int            // of all values
}

// mark records how many code points precede an offset. With marks, finding a column in a long
// line reads about a KiB, not the whole line.
type mark struct{ offset, runes int }

// Duplicate is a key that an object has more than once.
type Duplicate struct {
	Pointer string // of the last value, which is the one in the Document
	Key     string
	Again   Span // the later key
	First   Span // the first key
}

// node is a value of a document. A repeated key has only its last value, at the position of the first.
type node struct {
	name       string // the key, unquoted
	key, value extent // key is empty in an array and for the root
	kind       byte   // as hujson names it: { [ " 0 n t f
	children   []node // never grows beyond its capacity, so that pointers to nodes stay valid
	byName     map[string]*node
}

// extent is a range of bytes of the text. A run keeps a node for each value of each
// plugin.json, so a smaller one saves memory. No text has 4 GiB: hujson takes forty
// times its size.
type extent struct{ from, to uint32 }

func extentOf(v *hujson.Value) extent { return extent{uint32(v.StartOffset), uint32(v.EndOffset)} }

// maxScan is the number of keys up to which a scan is faster than a map.
const maxScan = 16

// Hostile files are rejected early: each level of nesting takes stack space, and each
// value the bytes of its pointer.
const (
	maxNesting      = 64
	maxPointerBytes = 4 << 20
)

// ParseDocument parses a JSON file. An error in the syntax is of type SyntaxErrors.
// If the only errors are comments, and commas that are missing or trailing, ParseDocument returns both
// the document and the errors.
func ParseDocument(file string, data []byte) (*Document, error) {
	d := newDocument(file, data)
	text, errs, ok := d.checkSyntax()
	if !ok {
		return nil, errs
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", file, err)
	}
	d.text = string(text)
	if err := d.add(&d.root, &root, make([]string, 0, maxNesting), 0); err != nil {
		return nil, SyntaxErrors{err}
	}
	if len(errs) > 0 {
		return d, errs
	}
	return d, nil
}

func newDocument(file string, data []byte) *Document {
	d := &Document{
		File: file, Data: data, isASCII: true,
		lines: make([]int, 1, bytes.Count(data, []byte("\n"))+1),
	}
	for i, b := range data {
		if b == '\n' {
			d.lines = append(d.lines, i+1)
		}
		if b >= utf8.RuneSelf {
			d.isASCII = false
		}
	}
	for i, n := 0, 0; i < len(data) && !d.isASCII; n++ {
		if i >= len(d.marks)<<10 {
			d.marks = append(d.marks, mark{i, n})
		}
		_, size := utf8.DecodeRune(data[i:])
		i += size
	}
	return d
}

// add fills in the node at a path; length is that of its pointer. The last value of a
// repeated key takes the place of the first.
func (d *Document) add(n *node, from *hujson.Value, path []string, length int) *SyntaxError {
	n.value, n.kind = extentOf(from), byte(from.Value.Kind())
	if d.pointerBytes += length; d.pointerBytes > maxPointerBytes {
		return d.syntaxError(from.StartOffset, from.StartOffset, "the keys are too long in total", "shorten them, or nest less deeply")
	}
	switch v := from.Value.(type) {
	case *hujson.Object:
		n.children = make([]node, 0, len(v.Members))
		for i := range v.Members {
			key := extentOf(&v.Members[i].Name)
			name := d.unquote(key)
			child := n.member(name)
			if child == nil {
				child = n.append(name)
			} else {
				d.repeat(child, key, append(path, name))
			}
			child.key = key
			if err := d.add(child, &v.Members[i].Value, append(path, name), length+1+len(EscapePointer(name))); err != nil {
				return err
			}
		}
	case *hujson.Array:
		n.children = make([]node, len(v.Elements))
		for i := range v.Elements {
			index := strconv.Itoa(i)
			if err := d.add(&n.children[i], &v.Elements[i], append(path, index), length+1+len(index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeat records a repeated key and clears its node, whose path is given, for the later value.
func (d *Document) repeat(n *node, again extent, path []string) {
	first, ok := d.firstKeys[n]
	if !ok {
		if d.firstKeys == nil {
			d.firstKeys = map[*node]Span{}
		}
		first = d.span(n.key)
		d.firstKeys[n] = first
	}
	d.duplicates = append(d.duplicates, Duplicate{Pointer: pointerTo(path), Key: n.name, Again: d.span(again), First: first})
	*n = node{name: n.name}
}

// pointerTo returns the pointer of a path of keys and indexes.
func pointerTo(path []string) string {
	var pointer strings.Builder
	for _, token := range path {
		pointer.WriteString("/" + EscapePointer(token))
	}
	return pointer.String()
}

// token returns the part of a pointer that names a child.
func (n *node) token(i int) string {
	if n.kind == '{' {
		return EscapePointer(n.children[i].name)
	}
	return strconv.Itoa(i)
}

func (n *node) append(name string) *node {
	n.children = append(n.children, node{name: name})
	child := &n.children[len(n.children)-1]
	switch {
	case n.byName != nil:
		n.byName[child.name] = child
	case len(n.children) > maxScan:
		n.byName = make(map[string]*node, cap(n.children))
		for i := range n.children {
			n.byName[n.children[i].name] = &n.children[i]
		}
	}
	return child
}

// member returns the value of a key, or nil if the node has no such key.
func (n *node) member(name string) *node {
	if n.byName != nil {
		return n.byName[name]
	}
	for i := range n.children {
		if child := &n.children[i]; n.kind == '{' && child.name == name {
			return child
		}
	}
	return nil
}

// Kind returns the type of the value at the pointer as JSON Schema names it: object, array, string,
// number, boolean or null. It returns "" if there is no value.
func (d *Document) Kind(pointer string) string {
	n, ok := d.find(pointer)
	if !ok {
		return ""
	}
	switch n.kind {
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

// unquote returns the string between the quotes of a literal.
func (d *Document) unquote(e extent) string {
	literal := d.text[e.from:e.to]
	if strings.IndexByte(literal, '\\') < 0 && (d.isASCII || utf8.ValidString(literal)) {
		return literal[1 : len(literal)-1]
	}
	return hujson.Literal(literal).String()
}

// Duplicates lists the repeated keys in the order of the file.
func (d *Document) Duplicates() []Duplicate { return d.duplicates }

// Pointers lists the pointers of all values in the order of the file.
func (d *Document) Pointers() []string { return d.root.pointers(nil, "") }

func (n *node) pointers(to []string, pointer string) []string {
	to = append(to, pointer)
	for i := range n.children {
		to = n.children[i].pointers(to, pointer+"/"+n.token(i))
	}
	return to
}

// find returns the value at the pointer, or its nearest ancestor and false.
func (d *Document) find(pointer string) (n *node, ok bool) {
	n = &d.root
	for rest := pointer; rest != ""; {
		if rest[0] != '/' {
			return n, false
		}
		token := rest[1:]
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token = token[:i]
		}
		rest = rest[1+len(token):]
		child := n.child(token)
		if child == nil {
			return n, false
		}
		n = child
	}
	return n, true
}

// child returns the value that a token of a pointer names, or nil.
func (n *node) child(token string) *node {
	if n.kind != '[' {
		return n.member(UnescapePointer(token))
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(n.children) || strconv.Itoa(i) != token {
		return nil
	}
	return &n.children[i]
}

// Has reports whether there is a value at the pointer.
func (d *Document) Has(pointer string) bool {
	_, ok := d.find(pointer)
	return ok
}

// Value returns the span of the value at the pointer, or that of its nearest ancestor
// if there is none, so that every finding has a position.
func (d *Document) Value(pointer string) Span {
	n, _ := d.find(pointer)
	return d.span(n.value)
}

// Key returns the span of the key at the pointer with its quotes, or that of the
// value if it has no key.
func (d *Document) Key(pointer string) Span {
	n, ok := d.find(pointer)
	if !ok || n.key == (extent{}) {
		return d.span(n.value)
	}
	return d.span(n.key)
}

// Text returns the string at the pointer; ok is false for any other type.
func (d *Document) Text(pointer string) (text string, ok bool) {
	n, ok := d.find(pointer)
	if !ok || n.kind != '"' {
		return "", false
	}
	return d.unquote(n.value), true
}

// Bool returns the boolean at the pointer; false for any other type.
func (d *Document) Bool(pointer string) bool {
	n, ok := d.find(pointer)
	return ok && n.kind == 't'
}

// Keys returns the keys of the object at the pointer in the order of the file, each
// once.
func (d *Document) Keys(pointer string) []string {
	n, ok := d.find(pointer)
	if !ok || n.kind != '{' {
		return nil
	}
	var keys []string
	for _, child := range n.children {
		keys = append(keys, child.name)
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
	for i := range n.children {
		items = append(items, pointer+"/"+strconv.Itoa(i))
	}
	return items
}

// Any returns the document as encoding/json decodes it into an any, with numbers as
// json.Number.
func (d *Document) Any() any { return d.any(&d.root) }

func (d *Document) any(n *node) any {
	switch n.kind {
	case '{':
		m := make(map[string]any, len(n.children))
		for i := range n.children {
			m[n.children[i].name] = d.any(&n.children[i])
		}
		return m
	case '[':
		a := make([]any, len(n.children))
		for i := range n.children {
			a[i] = d.any(&n.children[i])
		}
		return a
	case '"':
		return d.unquote(n.value)
	case '0':
		return json.Number(d.text[n.value.from:n.value.to])
	case 'n':
		return nil
	}
	return n.kind == 't'
}

// Position converts a byte offset into a position.
func (d *Document) Position(offset int) Position {
	offset = min(max(offset, 0), len(d.Data))
	line := sort.SearchInts(d.lines, offset+1) - 1
	start := d.lines[line]
	column := offset - start
	if !d.isASCII {
		column = d.runesBefore(offset) - d.runesBefore(start)
	}
	return Position{Line: line + 1, Column: column + 1, Offset: offset}
}

func (d *Document) runesBefore(offset int) int {
	m := d.marks[sort.Search(len(d.marks), func(i int) bool { return d.marks[i].offset > offset })-1]
	return m.runes + utf8.RuneCount(d.Data[m.offset:offset])
}

// PositionIn converts a byte offset of a text into a position.
func PositionIn(data []byte, offset int) Position { return Positions(data)(offset) }

// Positions returns PositionIn for one text, which is faster for many offsets.
func Positions(data []byte) func(offset int) Position { return newDocument("", data).Position }

func (d *Document) span(e extent) Span {
	return Span{Start: d.Position(int(e.from)), End: d.Position(int(e.to))}
}

var (
	pointerEscaper   = strings.NewReplacer("~", "~0", "/", "~1")
	pointerUnescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// EscapePointer escapes one token of a JSON pointer.
func EscapePointer(token string) string {
	if !strings.ContainsAny(token, "~/") { // most have neither, and the replacer is slow
		return token
	}
	return pointerEscaper.Replace(token)
}

// UnescapePointer reverses EscapePointer.
func UnescapePointer(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return pointerUnescaper.Replace(token)
}
