package bundle

// Cursor is a value of a document, for walking it without pointers.
type Cursor struct {
	d  *Document
	at int32
}

// Root returns the whole value of the document.
func (d *Document) Root() Cursor { return Cursor{d, 0} }

// Kind returns what the value is, as Document.Kind does.
func (c Cursor) Kind() string { return c.d.nodes[c.at].kind.String() }

// Key returns the key of a value in an object.
func (c Cursor) Key() string { return c.d.nodes[c.at].key }

// Text returns the string that the value is; ok is false for any other kind.
func (c Cursor) Text() (text string, ok bool) {
	n := &c.d.nodes[c.at]
	if n.kind != '"' {
		return "", false
	}
	return c.d.unquote(n.from, n.to), true
}

// Has says whether the value is an object with the key.
func (c Cursor) Has(key string) bool {
	return c.d.nodes[c.at].kind == '{' && c.d.child(c.at, key) >= 0
}

// Inside yields the values in an object or array.
func (c Cursor) Inside(yield func(Cursor) bool) {
	for i := c.d.nodes[c.at].first; i >= 0; i = c.d.nodes[i].next {
		if !yield(Cursor{c.d, i}) {
			return
		}
	}
}
