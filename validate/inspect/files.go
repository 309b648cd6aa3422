package inspect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// BOM is the byte order mark in UTF-8.
const BOM = "\uFEFF"

// ReadFile reads a file of at most maxBytes bytes. Callers must not change the data: rules about
// texts, images and conflicts read the same files.
func ReadFile(p *validate.Pass, root, name string, maxBytes int64) ([]byte, error) {
	known := kept.Of(p)
	if data, ok := known.files[name]; ok && int64(len(data)) <= maxBytes && tree.IsInside(root, name) {
		return data, nil
	}
	f, err := OpenFile(p, root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := limit.ReadAll(f, maxBytes)
	if _, ok := errors.AsType[*limit.TooLargeError](err); ok {
		err = fmt.Errorf("it is %w", err)
	}
	if err == nil && len(data) <= known.left {
		known.files[name] = data
		known.left -= len(data)
	}
	return data, err
}

// readFiles are the first files of a plugin that were read.
type readFiles struct {
	files map[string][]byte
	left  int // bytes that may still be kept
}

var kept = validate.NewFact(func(*validate.Pass) *readFiles {
	return &readFiles{files: map[string][]byte{}, left: 1 << 20}
})

// OpenFile opens a regular file below root.
func OpenFile(p *validate.Pass, root, name string) (fs.File, error) {
	if !tree.IsInside(root, name) {
		return nil, tree.ErrOutside
	}
	f, err := p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = tree.Irregular(info.Mode())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Exists reports whether the tree has an entry with the name.
func Exists(p *validate.Pass, name string) bool {
	_, err := fs.Stat(p.FS, name)
	return err == nil
}

// Document parses a JSON file in dir or below. It returns nil if the file cannot be
// read or parsed; for a plugin.json of the run, another rule reports that.
func Document(p *validate.Pass, dir, file string) *bundle.Document {
	if doc, ok := p.Document(file); ok {
		return doc
	}
	const maxBytes = 1 << 20
	data, err := ReadFile(p, dir, file, maxBytes)
	if err != nil {
		return nil
	}
	doc, _ := bundle.ParseDocument(file, bytes.TrimPrefix(data, []byte(BOM)))
	return doc
}

// ValueIn returns the position of the value at a pointer of another document.
func ValueIn(p *validate.Pass, doc *bundle.Document, pointer string) validate.Place {
	at := p.At(pointer, doc.Value(pointer))
	at.File = doc.File
	return at
}

// PlaceIn returns the position of the bytes from..to of another file, and registers its
// text so that reports can show the line.
func PlaceIn(p *validate.Pass, file string, data []byte, from, to int) validate.Place {
	p.Source(file, data)
	return placeOf(file, bundle.Positions(data), from, to)
}

func placeOf(file string, at func(offset int) bundle.Position, from, to int) validate.Place {
	start, end := at(from), at(to)
	return validate.Place{File: file, Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column}
}

// IsBuiltIn reports whether the plugin is marked as built into the host.
func IsBuiltIn(p *validate.Pass) bool { return p.Doc.Bool("/builtIn") }

// IsPartOfService reports whether the plugin comes with the host: it is marked as built
// in, or has neither a version nor dependencies and is not in a zip. Such a plugin is not
// published, and its backend is compiled into the host.
func IsPartOfService(p *validate.Pass) bool {
	return IsBuiltIn(p) || !p.Doc.Has("/info/version") && !p.Doc.Has("/dependencies") && p.Where != validate.Zip
}

// Homes returns the directories that may contain README.md, package.json and the like:
// the plugin's own and, if that is src, the repository around it. isComplete is false if
// the tree does not include the repository.
func Homes(p *validate.Pass) (dirs []string, isComplete bool) {
	const source = "src"
	switch {
	case p.Where != validate.Source || p.IsNested:
	case p.Dir == "." && p.RootName == source:
		return []string{"."}, false
	case path.Base(p.Dir) == source:
		return []string{p.Dir, path.Dir(p.Dir)}, true
	}
	return []string{p.Dir}, true
}

var seen = validate.NewTreeFact(func(*validate.Pass) *sync.Map { return &sync.Map{} })

// IsFirst reports whether this is the first time in this run that a rule checks a file:
// a plugin and those nested in it may share one.
func IsFirst(p *validate.Pass, rule, file string) bool {
	_, isKnown := seen.Of(p).LoadOrStore([2]string{rule, file}, true)
	return !isKnown
}
