package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// The sizes beyond which files are not read.
const (
	maxTextBytes     = 1 << 20
	maxMetadataBytes = 256 << 10
)

// errOutside says that a symbolic link leads out of where it may.
var errOutside = errors.New("it is a symbolic link out of the plugin")

// isNested says whether the plugin lies in another one.
func isNested(p *validate.Pass) bool { return p.Dir != p.Root }

// isPartOfService says whether the plugin comes with the service itself: it says so,
// or has neither a version nor dependencies of its own. Such a plugin is not
// published, and its backend is in the service.
func isPartOfService(p *validate.Pass) bool {
	return p.Doc.Bool("/builtIn") || !p.Doc.Has("/info/version") && !p.Doc.Has("/dependencies")
}

// readFile reads a file of at most limit bytes that lies in root, also behind
// symbolic links.
func readFile(p *validate.Pass, root, name string, limit int64) ([]byte, error) {
	f, err := openFile(p, root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("it has more than %d KiB", limit>>10)
	}
	return data, err
}

// openFile opens a file, not a folder, that lies in root.
func openFile(p *validate.Pass, root, name string) (fs.File, error) {
	name, ok := follow(p.FS, root, name)
	if !ok {
		return nil, errOutside
	}
	info, err := fs.Stat(p.FS, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a file")
	}
	return p.FS.Open(name)
}

// exists says whether there is something of this name.
func exists(p *validate.Pass, name string) bool {
	_, err := fs.Stat(p.FS, name)
	return err == nil
}

// readDocument returns another plugin.json; nil where that cannot be read, which a
// finding in that file says.
func readDocument(p *validate.Pass, file string) *bundle.Document {
	if doc, ok := p.Document(file); ok {
		return doc
	}
	data, err := readFile(p, path.Dir(file), file, maxMetadataBytes)
	if err != nil {
		return nil
	}
	doc, _ := bundle.ParseDocument(file, bytes.TrimPrefix(data, []byte(byteOrderMark)))
	return doc
}

// homes are the folders in which the texts of a plugin may lie: its own and, where
// that is src, the repository around it. isComplete is false if that was not given
// to the run.
func homes(p *validate.Pass) (dirs []string, isComplete bool) {
	const source = "src"
	switch {
	case p.Where != validate.Source || isNested(p):
	case p.Dir == "." && p.RootName == source:
		return []string{"."}, false
	case path.Base(p.Dir) == source:
		return []string{p.Dir, path.Dir(p.Dir)}, true
	}
	return []string{p.Dir}, true
}

type reportedKey struct{}

// isFirst says whether a rule comes to a file for the first time in this run: a
// plugin and those in it can use the same one.
func isFirst(p *validate.Pass, rule, file string) bool {
	reported := validate.TreeFact(p, reportedKey{}, func() *sync.Map { return &sync.Map{} })
	_, isKnown := reported.LoadOrStore([2]string{rule, file}, true)
	return !isKnown
}

// placeIn returns the place of the bytes from..to of another file, and notes its
// text for printing.
func placeIn(p *validate.Pass, file string, data []byte, from, to int) validate.Place {
	p.Source(file, data)
	start, end := bundle.PositionIn(data, from), bundle.PositionIn(data, to)
	return validate.Place{File: file, Line: start.Line, Column: start.Column, EndLine: end.Line, EndColumn: end.Column}
}
