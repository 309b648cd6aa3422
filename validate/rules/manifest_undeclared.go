package rules

import (
	"fmt"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestUndeclared() validate.Rule {
	return validate.Rule{
		ID:      "manifest-undeclared",
		Summary: "file missing from the manifest",
		Why:     "A file that is not in the manifest was added later. A host that checks the manifest does not load a plugin with such a file.",
		Help:    "delete the file, or package the plugin again",
		Where:   validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := inspect.Manifest.Of(p)
			if m.File == "" || m.Err != nil {
				return // manifest-hash reports it
			}
			files, err := filesOf(p)
			if err != nil {
				p.Skipf("cannot compare the files with the manifest: %v", err)
				return
			}
			for _, name := range files {
				if _, ok := m.Files[name]; !ok && !m.Omits(name) {
					p.Report(validate.Finding{
						Place:   validate.Place{File: path.Join(p.Dir, name)},
						Message: fmt.Sprintf("%s is not listed in the manifest", name), Help: helpModified(m),
					})
				}
			}
		},
	}
}

// filesOf returns the paths of the plugin's files.
func filesOf(p *validate.Pass) (files []string, err error) {
	const maxFiles = 20000
	err = fs.WalkDir(p.FS, p.Dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if len(files) == maxFiles {
			return fmt.Errorf("the plugin has more than %d files", maxFiles)
		}
		files = append(files, tree.Below(p.Dir, name))
		return nil
	})
	return files, err
}
