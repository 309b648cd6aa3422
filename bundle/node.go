package bundle

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// node is a value of a document. Those in one object or array are a list, which
// costs less than a map for the few that a plugin.json has.
type node struct {
	kind           kind
	from, to       int // bytes of the value
	keyFrom, keyTo int // bytes of the key with its quotes; -1 where there is none
	key            string
	first, next    int32 // nodes: the first one inside and the one behind; -1 is none
}

// kind is the first byte of a value: { [ " n, 0 for a number, t for true and false.
type kind byte

// String returns the name in JSON Schema's words.
func (k kind) String() string {
	switch k {
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

// largeNode finds the values of an object or array of more than maxList.
type largeNode struct {
	byKey map[string]int32
	items []int32
}

// maxList is the number of values up to which a list is searched.
const maxList = 32

// enlarge notes the value that is the last of count in an object or array.
func (d *Document) enlarge(at, child int32, count int) {
	if count <= maxList {
		return
	}
	l := d.large[at]
	if l == nil {
		l = &largeNode{byKey: map[string]int32{}}
		if d.large == nil {
			d.large = map[int32]*largeNode{}
		}
		d.large[at] = l
		child = d.nodes[at].first
	}
	isObject := d.nodes[at].kind == '{'
	for ; child >= 0; child = d.nodes[child].next {
		if isObject {
			l.byKey[d.nodes[child].key] = child
		} else {
			l.items = append(l.items, child)
		}
	}
}

// find returns the value at the pointer, or its nearest ancestor.
func (d *Document) find(pointer string) (n *node, isThere bool) {
	at, rest := int32(0), pointer
	for rest != "" {
		token := rest[1:]
		if i := strings.IndexByte(token, '/'); i >= 0 {
			token = token[:i]
		}
		if rest[0] != '/' {
			return &d.nodes[at], false
		}
		rest = rest[1+len(token):]
		child := int32(-1)
		switch d.nodes[at].kind {
		case '{':
			child = d.child(at, UnescapePointer(token))
		case '[':
			child = d.item(at, token)
		}
		if child < 0 {
			return &d.nodes[at], false
		}
		at = child
	}
	return &d.nodes[at], true
}

// child returns the value of a key, -1 if there is none.
func (d *Document) child(at int32, key string) int32 {
	if l := d.large[at]; l != nil {
		if c, ok := l.byKey[key]; ok {
			return c
		}
		return -1
	}
	c := d.nodes[at].first
	for c >= 0 && d.nodes[c].key != key {
		c = d.nodes[c].next
	}
	return c
}

// item returns the value at an index as a pointer writes it, -1 if there is none.
func (d *Document) item(at int32, token string) int32 {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || strconv.Itoa(i) != token {
		return -1
	}
	if l := d.large[at]; l != nil {
		if i < len(l.items) {
			return l.items[i]
		}
		return -1
	}
	c := d.nodes[at].first
	for ; c >= 0 && i > 0; i-- {
		c = d.nodes[c].next
	}
	return c
}

// unquote returns the string that stands at from..to with its quotes.
func (d *Document) unquote(from, to int) string {
	text := d.text[from+1 : to-1]
	if strings.IndexByte(text, '\\') < 0 && (d.isASCII || utf8.ValidString(text)) {
		return text
	}
	var s string
	_ = json.Unmarshal(d.Data[from:to], &s) // checkSyntax has read it
	return s
}
