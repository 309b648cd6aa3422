package validate

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Fix is a change that mends a finding and cannot break what worked.
type Fix struct {
	Title string // what it does: rename "grants" to "grant"
	Edits []Edit // all of them or none

	// IsOfBuilt is set by the engine for a plugin that a build has written. Its texts
	// are to be mended in the source: the next build would bring the fault back, and a
	// manifest would no longer match.
	IsOfBuilt bool
}

// Edit replaces a stretch of a file, or makes a file executable.
type Edit struct {
	File           string // slash path in the validated tree, behind Options.Prefix
	From, To       int    // bytes of the file as it is; the same for an insertion
	Text           string
	MakeExecutable bool // instead of all the above but File
}

// Replace returns the edit that puts a JSON value in place of that at the pointer.
func (p *Pass) Replace(pointer string, value any) Edit {
	span := p.Doc.Value(pointer)
	return p.edit(span.Start.Offset, span.End.Offset, encode(value))
}

// Rename returns the edit that gives the entry at the pointer another key.
func (p *Pass) Rename(pointer, key string) Edit {
	span := p.Doc.Key(pointer)
	return p.edit(span.Start.Offset, span.End.Offset, encode(key))
}

// Remove returns the edit that deletes the entry or item at the pointer with its
// comma, and its line where it has one of its own.
func (p *Pass) Remove(pointer string) Edit {
	data := p.Doc.Data
	from, to := p.Doc.Key(pointer).Start.Offset, p.Doc.Value(pointer).End.Offset
	before := len(bytes.TrimRight(data[:from], " \t\r\n")) // behind the comma or bracket before
	after := to + len(data[to:]) - len(bytes.TrimLeft(data[to:], " \t\r\n"))
	switch {
	case after < len(data) && data[after] == ',': // the next entry takes the place
		after++
		next := after + len(data[after:]) - len(bytes.TrimLeft(data[after:], " \t\r\n"))
		return p.edit(from, next, "")
	case before > 0 && data[before-1] == ',': // the last one
		return p.edit(before-1, to, "")
	}
	return p.edit(before, after, "") // the only one: nothing stays between the brackets
}

// Insert returns the edit that adds an entry in front of the others of the object
// at the pointer, on a line of its own where they have one.
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

// edit converts offsets of the document, which has no byte order mark, to those of
// the file.
func (p *Pass) edit(from, to int, text string) Edit {
	mark := len(p.Data) - len(p.Doc.Data)
	return Edit{File: p.File, From: from + mark, To: to + mark, Text: text}
}

func encode(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil { // only a rule's own mistake
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
