package rules

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

var mapComment = regexp.MustCompile(`//[#@] ?sourceMappingURL=(\S+)\s*$`)

func sourcemapMissing(p *validate.Pass) {
	if !shortModule.isOff(p) {
		if p.IsNested {
			return // for the outermost plugin, every module.js is checked
		}
		for _, name := range filesNamed(p, p.FS, p.Dir, inspect.ModuleFile) {
			if !inspect.Exists(p, name+".map") {
				p.Reportf(validate.Place{File: name}, "there is no module.js.map")
			}
		}
		return
	}
	m := inspect.Module.Of(p)
	name, data := m.File, m.Data
	if name == "" || inspect.Exists(p, name+".map") {
		return
	}
	if m.Err != nil {
		p.Skipf("cannot read module.js: %v", m.Err)
		return
	}
	if at := mapComment.FindSubmatchIndex(data[max(0, len(data)-1024):]); at != nil {
		from := max(0, len(data)-1024)
		target := string(data[from+at[2] : from+at[3]])
		file := path.Join(p.Dir, target)
		isThere := fs.ValidPath(file) && tree.IsInside(p.Root, file) && inspect.Exists(p, file)
		if isThere || strings.HasPrefix(target, "data:") {
			return
		}
		p.Reportf(validate.Place{File: name}, "module.js refers to the source map %.200q, which does not exist", target)
		return
	}
	const minifiedLine = 2000 // from which a line is taken for generated
	for line := range bytes.Lines(data) {
		if len(line) >= minifiedLine {
			p.Reportf(validate.Place{File: name}, "module.js is bundled, but there is no module.js.map")
			return
		}
	}
}

// filesNamed returns the files of that name in a directory and below.
func filesNamed(p *validate.Pass, fsys fs.FS, dir, name string) (files []string) {
	err := fs.WalkDir(fsys, dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Base(file) == name {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		p.Skipf("cannot search for %s: %v", name, err)
	}
	return files
}
