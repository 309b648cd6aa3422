package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// text is a file that people read: README.md, CHANGELOG.md or the licence.
type text struct {
	file string // slash path in the tree
	data []byte // "" where it could not be read
	err  error
}

type textKey string

// findText returns the first file of one of the names that lies where those of the
// plugin may lie; nil if there is none. misnamed is one that differs only in the case
// of its letters.
func findText(p *validate.Pass, names ...string) (found *text, misnamed string) {
	dirs, _ := homes(p)
	for _, dir := range dirs {
		entries := list(p, dir)
		for _, name := range names {
			for _, e := range entries {
				if e.Name() == name {
					return readText(p, path.Join(dir, name)), ""
				}
				if misnamed == "" && strings.EqualFold(e.Name(), name) {
					misnamed = e.Name()
				}
			}
		}
	}
	return nil, misnamed
}

type listKey string

// list returns what is in a folder; what cannot be listed has no files.
func list(p *validate.Pass, dir string) []fs.DirEntry {
	return validate.Fact(p, listKey(dir), func() []fs.DirEntry {
		entries, _ := fs.ReadDir(p.FS, dir)
		return entries
	})
}

func readText(p *validate.Pass, file string) *text {
	return validate.Fact(p, textKey(file), func() *text {
		data, err := readFile(p, path.Dir(file), file, maxTextBytes)
		return &text{file: file, data: data, err: err}
	})
}

// whereTexts says where the texts of this plugin go.
func whereTexts(p *validate.Pass) string {
	dirs, _ := homes(p)
	switch {
	case p.Where != validate.Source:
		return "where the source of the plugin is, and build or package it again"
	case len(dirs) > 1:
		return "beside the folder src"
	}
	return "beside plugin.json"
}

// needText reports that none of the files is there, or that it is empty. A nested
// plugin and one of the service itself have none of their own.
func needText(p *validate.Pass, names ...string) {
	if isNested(p) || isPartOfService(p) {
		return
	}
	found, misnamed := findText(p, names...)
	_, isComplete := homes(p)
	switch {
	case found == nil && !isComplete:
		p.Skipf("the folder around src was not given, and %s may lie there", names[0])
	case found == nil && misnamed != "" && !slices.Contains(names, misnamed):
		p.Report(validate.Finding{
			Place:   p.Whole(),
			Message: fmt.Sprintf("there is no %s, only %s", names[0], misnamed),
			Help:    fmt.Sprintf("rename it to %s, in exactly these letters", names[0]),
		})
	case found == nil:
		p.Report(validate.Finding{
			Place:   p.Whole(),
			Message: "the plugin has no " + names[0],
			Help:    fmt.Sprintf("write %s %s", names[0], whereTexts(p)),
		})
	case found.err != nil:
		p.Skipf("%s was not read: %v", found.file, found.err)
	case strings.TrimSpace(string(found.data)) == "":
		p.Reportf(validate.Place{File: found.file}, "%s is empty", path.Base(found.file))
	}
}
