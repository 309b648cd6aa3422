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

// Position is a place in a text file. Line and Column count from 1, Column in
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

// Document is a parsed JSON file that knows where each value is. Values are named
// by JSON pointers (RFC 6901): "" is the root, "/info/version" a value below it.
type Document struct {
	File string
	Data []byte // as read

	text         []byte           // Data without comments and trailing commas
	lines        []int            // offset of the first byte of each line
	isASCII      bool             // a column is a byte
	nodes        map[string]*node // by pointer
	duplicates   []Duplicate
	pointerBytes int // of all values
}

// Duplicate is a key that an object has more than once.
type Duplicate struct {
	Pointer string // of the last value, which is the one in the Document
	Key     string
	Again   Span // the later key
	First   Span // the first key
}

// node is a value of a document.
type node struct {
	pointer  string
	name     string        // the key, unquoted
	key      *hujson.Value // nil in an array and for the root
	firstKey *hujson.Value // differs from key if the key is repeated
	value    *hujson.Value
	children []*node
	index    int // in the children of the node above
}

// Hostile files are rejected before they cost anything: each level of nesting takes
// stack, each value the bytes of its pointer.
const (
	maxNesting      = 64
	maxPointerBytes = 4 << 20
)

// ParseDocument parses a JSON file. An error in the syntax is of type SyntaxErrors.
// If the only errors are comments and trailing commas, ParseDocument returns both the
// document and the errors.
func ParseDocument(file string, data []byte) (*Document, error) {
	d := newDocument(file, data)
	errs, ok := d.checkSyntax()
	if !ok {
		return nil, errs
	}
	root, err := hujson.Parse(d.text)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", file, err)
	}
	if err := d.add(&node{value: &root}); err != nil {
		return nil, SyntaxErrors{err}
	}
	if len(errs) > 0 {
		return d, errs
	}
	return d, nil
}

func newDocument(file string, data []byte) *Document {
	d := &Document{
		File: file, Data: data, nodes: make(map[string]*node, len(data)/32),
		lines: make([]int, 1, bytes.Count(data, []byte("\n"))+1), isASCII: true,
	}
	for i, b := range data {
		if b == '\n' {
			d.lines = append(d.lines, i+1)
		}
		if b >= utf8.RuneSelf {
			d.isASCII = false
		}
	}
	return d
}

// add adds a node and what is inside its value. The last value of a repeated key
// takes the place of the first.
func (d *Document) add(n *node) *SyntaxError {
	if d.pointerBytes += len(n.pointer); d.pointerBytes > maxPointerBytes {
		at := n.value.StartOffset
		return d.syntaxError(at, at, "the keys are too long and too many", "shorten them")
	}
	d.nodes[n.pointer] = n
	switch v := n.value.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			key := &v.Members[i].Name
			name := unquote(key.Value.(hujson.Literal))
			child := &node{
				pointer: n.pointer + "/" + EscapePointer(name), name: name,
				key: key, firstKey: key, value: &v.Members[i].Value, index: len(n.children),
			}
			if earlier := d.nodes[child.pointer]; earlier != nil {
				child.firstKey, child.index = earlier.firstKey, earlier.index
				d.duplicates = append(d.duplicates, Duplicate{
					Pointer: child.pointer, Key: name, Again: d.span(key), First: d.span(child.firstKey),
				})
				d.remove(earlier)
				n.children[child.index] = child
			} else {
				n.children = append(n.children, child)
			}
			if err := d.add(child); err != nil {
				return err
			}
		}
	case *hujson.Array:
		for i := range v.Elements {
			child := &node{pointer: n.pointer + "/" + strconv.Itoa(i), value: &v.Elements[i]}
			n.children = append(n.children, child)
			if err := d.add(child); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Document) remove(n *node) {
	delete(d.nodes, n.pointer)
	for _, child := range n.children {
		d.remove(child)
	}
}

// unquote returns the string that a literal spells.
func unquote(text hujson.Literal) string {
	if bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return string(text[1 : len(text)-1])
	}
	return text.String()
}

// Duplicates lists the repeated keys in the order of the file.
func (d *Document) Duplicates() []Duplicate { return d.duplicates }

// Pointers lists the pointers of all values in the order of the file.
func (d *Document) Pointers() []string { return d.nodes[""].pointers(nil) }

func (n *node) pointers(to []string) []string {
	to = append(to, n.pointer)
	for _, child := range n.children {
		to = child.pointers(to)
	}
	return to
}

// find returns the value at the pointer, or its nearest ancestor and false.
func (d *Document) find(pointer string) (n *node, ok bool) {
	for at := pointer; ; {
		if n := d.nodes[at]; n != nil {
			return n, at == pointer
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
}

// Has reports whether there is a value at the pointer.
func (d *Document) Has(pointer string) bool {
	_, ok := d.find(pointer)
	return ok
}

// Value returns the span of the value at the pointer, or that of its nearest ancestor
// if there is none, so that every finding has a place.
func (d *Document) Value(pointer string) Span {
	n, _ := d.find(pointer)
	return d.span(n.value)
}

// Key returns the span of the key at the pointer with its quotes, or that of the
// value if it has no key.
func (d *Document) Key(pointer string) Span {
	n, ok := d.find(pointer)
	if !ok || n.key == nil {
		return d.span(n.value)
	}
	return d.span(n.key)
}

// Kind returns the type of the value at the pointer as JSON Schema names it: object,
// array, string, number, boolean or null. It returns "" if there is no value.
func (d *Document) Kind(pointer string) string {
	n, ok := d.find(pointer)
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

// Text returns the string at the pointer; ok is false for any other type.
func (d *Document) Text(pointer string) (text string, ok bool) {
	n, ok := d.find(pointer)
	if !ok || n.value.Value.Kind() != '"' {
		return "", false
	}
	return unquote(n.value.Value.(hujson.Literal)), true
}

// Bool returns the boolean at the pointer; false for any other type.
func (d *Document) Bool(pointer string) bool {
	n, ok := d.find(pointer)
	return ok && n.value.Value.Kind() == 't'
}

// Keys returns the keys of the object at the pointer in the order of the file, each
// once.
func (d *Document) Keys(pointer string) []string {
	n, ok := d.find(pointer)
	if !ok || n.value.Value.Kind() != '{' {
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
	if !ok || n.value.Value.Kind() != '[' {
		return nil
	}
	items := []string{}
	for _, child := range n.children {
		items = append(items, child.pointer)
	}
	return items
}

// Any returns the document as encoding/json decodes it into an any, with numbers as
// json.Number.
func (d *Document) Any() any {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(d.text))
	decoder.UseNumber()
	_ = decoder.Decode(&v) // ParseDocument has parsed it
	return v
}

// Position converts a byte offset into a position.
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

// PositionIn converts a byte offset of a text into a position.
func PositionIn(data []byte, offset int) Position { return newDocument("", data).Position(offset) }

func (d *Document) span(v *hujson.Value) Span {
	return Span{Start: d.Position(v.StartOffset), End: d.Position(v.EndOffset)}
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
func UnescapePointer(token string) string { return pointerUnescaper.Replace(token) }
