package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/validate"
)

func manifestUndeclared() validate.Rule {
	return validate.Rule{
		ID:       "manifest-undeclared",
		Severity: validate.Error,
		Summary:  "the manifest lists every file of the plugin",
		Why:      "A file that the manifest does not list was added later. The service does not load such a plugin.",
		Help:     "delete the file, or package the plugin again",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := manifestOf(p)
			if m.file == "" || m.err != nil {
				return // manifest-hash speaks of it
			}
			files, err := filesOf(p)
			if err != nil {
				p.Skipf("the files were not compared with the manifest: %v", err)
				return
			}
			for _, name := range files {
				if _, ok := m.Files[name]; !ok {
					p.Report(validate.Finding{
						Place:   validate.Place{File: path.Join(p.Dir, name)},
						Message: fmt.Sprintf("the manifest does not list %s", name),
					})
				}
			}
		},
	}
}
