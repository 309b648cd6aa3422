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

	text         []byte // Data without comments and trailing commas
	lines        []int  // offset of the first byte of each line
	isASCII      bool   // a column is a byte
	root         *Node
	duplicates   []Duplicate
	firstKeys    map[*Node]*hujson.Value // of repeated keys
	pointerBytes int                     // of all values
}

// Duplicate is a key that an object has more than once.
type Duplicate struct {
	Pointer string // of the last value, which is the one in the Document
	Key     string
	Again   Span // the later key
	First   Span // the first key
}

// Node is a value of a document.
type Node struct {
	name     string        // the key, unquoted
	key      *hujson.Value // nil in an array and for the root
	value    *hujson.Value
	children []Node           // never grows beyond its capacity, so that pointers to nodes stay valid
	byName   map[string]*Node // of children, for an object with more than maxScan keys
}

// maxScan is the number of keys up to which a scan is faster than a map.
const maxScan = 16

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
	d.root = &Node{value: &root}
	if err := d.add(d.root, nil, 0); err != nil {
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
	return d
}

// add adds what is inside the value of a node, which is at a path, with a pointer of
// some length. The last value of a repeated key takes the place of the first.
func (d *Document) add(n *Node, path []string, length int) *SyntaxError {
	if d.pointerBytes += length; d.pointerBytes > maxPointerBytes {
		at := n.value.StartOffset
		return d.syntaxError(at, at, "the keys are too long and too many", "shorten them")
	}
	switch v := n.value.Value.(type) {
	case *hujson.Object:
		n.children = make([]Node, 0, len(v.Members))
		for i := range v.Members {
			member := Node{key: &v.Members[i].Name, value: &v.Members[i].Value}
			member.name = unquote(member.key.Value.(hujson.Literal))
			child := n.Member(member.name)
			if child == nil {
				child = n.append(member)
			} else {
				d.repeat(child, member, append(path, member.name))
			}
			if err := d.add(child, append(path, child.name), length+1+len(EscapePointer(child.name))); err != nil {
				return err
			}
		}
	case *hujson.Array:
		n.children = make([]Node, len(v.Elements))
		for i := range v.Elements {
			index := strconv.Itoa(i)
			n.children[i].value = &v.Elements[i]
			if err := d.add(&n.children[i], append(path, index), length+1+len(index)); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeat puts the value of a repeated key, whose path it is at, in the place of the
// earlier one.
func (d *Document) repeat(earlier *Node, again Node, path []string) {
	first := d.firstKeys[earlier]
	if first == nil {
		if d.firstKeys == nil {
			d.firstKeys = map[*Node]*hujson.Value{}
		}
		first = earlier.key
		d.firstKeys[earlier] = first
	}
	d.duplicates = append(d.duplicates, Duplicate{
		Pointer: pointerTo(path), Key: again.name, Again: d.span(again.key), First: d.span(first),
	})
	*earlier = again
}

// append adds a member to an object.
func (n *Node) append(member Node) *Node {
	n.children = append(n.children, member)
	child := &n.children[len(n.children)-1]
	switch {
	case n.byName != nil:
		n.byName[child.name] = child
	case len(n.children) > maxScan:
		n.byName = make(map[string]*Node, cap(n.children))
		for i := range n.children {
			n.byName[n.children[i].name] = &n.children[i]
		}
	}
	return child
}

// Root returns the value that is the document.
func (d *Document) Root() *Node { return d.root }

// Name returns the key of a member of an object; "" for any other value.
func (n *Node) Name() string { return n.name }

// Children returns the members of an object or the items of an array in the order of
// the file. A repeated key has only its last value, in the place of the first.
func (n *Node) Children() []Node { return n.children }

// Member returns the value of a key, or nil if the node has no such key.
func (n *Node) Member(name string) *Node {
	if n.byName != nil {
		return n.byName[name]
	}
	for i := range n.children {
		if child := &n.children[i]; child.key != nil && child.name == name {
			return child
		}
	}
	return nil
}

// Kind returns the type of the value as JSON Schema names it: object, array, string,
// number, boolean or null.
func (n *Node) Kind() string {
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

// Text returns the string that the value is; ok is false for any other type.
func (n *Node) Text() (text string, ok bool) {
	if n.value.Value.Kind() != '"' {
		return "", false
	}
	return unquote(n.value.Value.(hujson.Literal)), true
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
func (d *Document) Pointers() []string { return d.root.pointers(nil, "") }

func (n *Node) pointers(to []string, pointer string) []string {
	to = append(to, pointer)
	for i, child := range n.children {
		token := strconv.Itoa(i)
		if child.key != nil {
			token = EscapePointer(child.name)
		}
		to = child.pointers(to, pointer+"/"+token)
	}
	return to
}

// find returns the value at the pointer, or its nearest ancestor and false.
func (d *Document) find(pointer string) (n *Node, ok bool) {
	n = d.root
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
func (n *Node) child(token string) *Node {
	if n.value.Value.Kind() != '[' {
		return n.Member(UnescapePointer(token))
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

// Kind returns the type of the value at the pointer as Node.Kind does, or "" if there is
// no value.
func (d *Document) Kind(pointer string) string {
	n, ok := d.find(pointer)
	if !ok {
		return ""
	}
	return n.Kind()
}

// Text returns the string at the pointer; ok is false for any other type.
func (d *Document) Text(pointer string) (text string, ok bool) {
	n, ok := d.find(pointer)
	if !ok {
		return "", false
	}
	return n.Text()
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
	for i := range n.children {
		items = append(items, pointer+"/"+strconv.Itoa(i))
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

// pointerTo returns the pointer of a path of keys and indexes.
func pointerTo(path []string) string {
	var pointer strings.Builder
	for _, token := range path {
		pointer.WriteString("/" + EscapePointer(token))
	}
	return pointer.String()
}

// UnescapePointer reverses EscapePointer.
func UnescapePointer(token string) string {
	if strings.IndexByte(token, '~') < 0 {
		return token
	}
	return pointerUnescaper.Replace(token)
}
