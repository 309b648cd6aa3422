package bundle

import (
	"strconv"
	"strings"
)

// build makes the nodes of a text that checkSyntax has read. It returns the offset
// at which the document became too large, or -1.
func (d *Document) build() int {
	d.text = string(d.Data)
	d.nodes = make([]node, 0, len(d.Data)/24+1)
	b := builder{d: d, tooLarge: -1}
	b.value(b.next(), node{keyFrom: -1}, 0)
	return b.tooLarge
}

type builder struct {
	d        *Document
	at       int
	tooLarge int
	path     []step         // to the value that is being added
	keys     map[int32]Span // where a key stood first, of those that came again
}

// step is a key or an index.
type step struct {
	key   string
	index int // -1 for a key
}

// next returns the next token that is no comment.
func (b *builder) next() token {
	for {
		t := nextToken(b.d.Data, b.at)
		b.at = t.to
		if t.kind != tokenComment {
			return t
		}
	}
}

// value adds the value that begins with a token and returns its node. The length is
// that of its pointer.
func (b *builder) value(t token, n node, length int) int32 {
	d, at := b.d, int32(len(b.d.nodes))
	if d.pointerBytes += length; d.pointerBytes > maxPointerBytes && b.tooLarge < 0 {
		b.tooLarge = t.from
	}
	n.kind, n.from, n.to, n.first, n.next = kindOf(d.Data[t.from]), t.from, t.to, -1, -1
	d.nodes = append(d.nodes, n)
	if n.kind == '{' || n.kind == '[' {
		d.nodes[at].to = b.inside(at, length)
	}
	return at
}

func kindOf(first byte) kind {
	switch first {
	case '{', '[', '"', 'n':
		return kind(first)
	case 't', 'f':
		return 't'
	}
	return '0'
}

// inside adds what is in an object or array and returns the offset behind it.
func (b *builder) inside(at int32, length int) int {
	d := b.d
	isObject := d.nodes[at].kind == '{'
	last, count := int32(-1), 0
	for t := b.next(); b.tooLarge < 0; t = b.next() {
		switch t.kind {
		case '}', ']':
			return t.to
		case ',':
			continue
		}
		n, in, earlier := node{keyFrom: -1}, step{index: count}, int32(-1)
		if isObject {
			n.keyFrom, n.keyTo, n.key = t.from, t.to, d.unquote(t.from, t.to)
			in = step{key: n.key, index: -1}
			earlier = d.child(at, n.key)
			b.next() // the colon
			t = b.next()
		}
		b.path = append(b.path, in)
		child := b.value(t, n, length+in.length())
		if earlier >= 0 {
			b.again(earlier, child)
		} else {
			if last < 0 {
				d.nodes[at].first = child
			} else {
				d.nodes[last].next = child
			}
			last, count = child, count+1
			d.enlarge(at, child, count)
		}
		b.path = b.path[:len(b.path)-1]
	}
	return b.at
}

// again puts the value of a repeated key, whose path it is at, in the place of the
// earlier one.
func (b *builder) again(earlier, child int32) {
	d := b.d
	e, n := d.nodes[earlier], d.nodes[child]
	first, isThird := b.keys[earlier]
	if !isThird {
		if b.keys == nil {
			b.keys = map[int32]Span{}
		}
		first = d.span(e.keyFrom, e.keyTo)
		b.keys[earlier] = first
	}
	var pointer strings.Builder
	for _, s := range b.path {
		pointer.WriteString("/" + s.String())
	}
	d.dups = append(d.dups, Duplicate{Pointer: pointer.String(), Key: n.key, Again: d.span(n.keyFrom, n.keyTo), First: first})
	n.next = e.next
	d.nodes[earlier] = n
	if l := d.large[child]; l != nil {
		d.large[earlier] = l
	} else {
		delete(d.large, earlier)
	}
}

func (s step) String() string {
	if s.index >= 0 {
		return strconv.Itoa(s.index)
	}
	return EscapePointer(s.key)
}

// length is that of the step in a pointer, with its slash.
func (s step) length() int {
	if s.index >= 0 {
		n := 2
		for i := s.index; i > 9; i /= 10 {
			n++
		}
		return n
	}
	return 1 + len(s.key) + strings.Count(s.key, "~") + strings.Count(s.key, "/")
}
