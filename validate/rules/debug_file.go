package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

func debugFile(p *validate.Pass) {
	files, err := filesOf(p)
	if err != nil {
		p.Skipf("cannot list the files: %v", err)
	}
	for _, name := range files {
		at := validate.Place{File: path.Join(p.Dir, name)}
		switch {
		case name == "standalone.txt", name == "pid.txt", strings.HasPrefix(name, "__debug_bin"):
			p.Reportf(at, "%s is left over from debugging", name)
		case !p.IsNested && slices.ContainsFunc(strings.Split(name, "/"), bundle.IsJunk): // of the whole plugin
			p.Report(validate.Finding{Severity: strayFile.in(p), Place: at,
				Message: fmt.Sprintf("%s is left over from an editor or the system", name), Help: "delete it, or build with Slipway, which leaves it out"})
		}
	}
}

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
