package inspect

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// maxTextBytes is the size beyond which a text is not read.
const maxTextBytes = 1 << 20

// Text is a file for people: README.md, CHANGELOG.md or the license.
type Text struct {
	File string // slash path in the tree
	Data []byte // without a byte order mark; nil if Err is set
	Err  error
}

// texts holds the texts of a plugin in each directory that may have some, including
// those whose names differ only in case.
var texts = validate.NewFact(func(p *validate.Pass) [][]Text {
	names := append(bundle.LicenseNames(), "README.md", "CHANGELOG.md")
	dirs, _ := Homes(p)
	all := make([][]Text, len(dirs))
	for i, dir := range dirs {
		entries, _ := fs.ReadDir(p.FS, dir) // a directory that cannot be listed has no texts
		for _, e := range entries {
			isLike := func(name string) bool { return strings.EqualFold(name, e.Name()) }
			if !slices.ContainsFunc(names, isLike) {
				continue
			}
			t := Text{File: path.Join(dir, e.Name())}
			t.Data, t.Err = ReadFile(p, dir, t.File, maxTextBytes)
			if errors.Is(t.Err, tree.ErrOutside) || errors.Is(t.Err, tree.ErrIrregular) {
				p.Refuse(t.File, t.Err)
			}
			t.Data = bytes.TrimPrefix(t.Data, []byte(BOM))
			all[i] = append(all[i], t)
		}
	}
	return all
})

// FindText returns the plugin's first file with one of the names, or nil. misnamed is
// then the name of a file that differs only in case.
func FindText(p *validate.Pass, names ...string) (found *Text, misnamed string) {
	for _, inDir := range texts.Of(p) {
		for _, name := range names {
			for _, t := range inDir {
				switch base := path.Base(t.File); {
				case base == name:
					return &t, ""
				case misnamed == "" && strings.EqualFold(base, name):
					misnamed = base
				}
			}
		}
	}
	return nil, misnamed
}

// TextsBelong returns where the texts of the plugin belong, for a message. isComplete
// is false if that directory is not part of the tree.
func TextsBelong(p *validate.Pass) (where string, isComplete bool) {
	dirs, isComplete := Homes(p)
	switch {
	case p.Where != validate.Source:
		return "in the source of the plugin if it is missing there, and let the build copy it", isComplete
	case len(dirs) > 1:
		return "next to src", isComplete
	}
	return "next to plugin.json", isComplete
}
