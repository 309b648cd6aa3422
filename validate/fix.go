package validate

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Fix is a change that resolves a finding and is safe to apply.
type Fix struct {
	Title string // such as: rename "grants" to "grant"
	Edits []Edit // applied together or not at all

	// IsOfBuilt is set by the engine if the finding is in a built plugin. Text must be
	// fixed in the source instead: the next build would undo the fix, and the manifest
	// would not match.
	IsOfBuilt bool
}

// Edit replaces a range of a file, or makes a file executable.
type Edit struct {
	File           string // slash path in the validated tree, after Options.Prefix
	From, To       int    // byte offsets; equal for an insertion
	Text           string
	MakeExecutable bool // instead of the replacement
}

// Replace returns the edit that replaces the value at the pointer.
func (p *Pass) Replace(pointer string, value any) Edit {
	span := p.Doc.Value(pointer)
	return p.edit(span.Start.Offset, span.End.Offset, encode(value))
}

// Rename returns the edit that replaces the key at the pointer.
func (p *Pass) Rename(pointer, key string) Edit {
	span := p.Doc.Key(pointer)
	return p.edit(span.Start.Offset, span.End.Offset, encode(key))
}

// Remove returns the edit that deletes the key and value, or the item, at the pointer
// with its comma, and with its line if nothing else is on it.
func (p *Pass) Remove(pointer string) Edit {
	data := p.Doc.Data
	from, to := p.Doc.Key(pointer).Start.Offset, p.Doc.Value(pointer).End.Offset
	before := len(bytes.TrimRight(data[:from], " \t\r\n")) // after the preceding comma or bracket
	after := to + len(data[to:]) - len(bytes.TrimLeft(data[to:], " \t\r\n"))
	switch {
	case after < len(data) && data[after] == ',': // followed by another
		after++
		next := after + len(data[after:]) - len(bytes.TrimLeft(data[after:], " \t\r\n"))
		return p.edit(from, next, "")
	case before > 0 && data[before-1] == ',': // the last of several
		return p.edit(before-1, to, "")
	}
	return p.edit(before, after, "") // the only one: leave empty brackets
}

// Insert returns the edit that adds a key to the beginning of the object at the
// pointer, on a line of its own if the first key has one.
func (p *Pass) Insert(pointer, key string, value any) Edit {
	data := p.Doc.Data
	at := p.Doc.Value(pointer).Start.Offset + 1
	entry := encode(key) + ": " + encode(value)
	keys := p.Doc.Keys(pointer)
	if len(keys) == 0 {
		return p.edit(at, at, entry)
	}
	first := p.Doc.Key(pointer + "/" + bundle.EscapePointer(keys[0])).Start.Offset
	space := string(data[at:first])
	if space == "" || strings.TrimSpace(space) != "" { // on one line, or a comment
		space = " "
	}
	return p.edit(first, first, entry+","+space)
}

// edit converts offsets in the document, which has no byte order mark, to offsets in the
// file.
func (p *Pass) edit(from, to int, text string) Edit {
	mark := len(p.Data) - len(p.Doc.Data)
	return Edit{File: p.File, From: from + mark, To: to + mark, Text: text}
}

func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil { // a mistake in a rule
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
