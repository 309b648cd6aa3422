package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestUndeclared(p *validate.Pass) {
	m := inspect.Manifest.Of(p)
	found := inspect.Modified.Of(p)
	if found.Err != nil {
		p.Skipf("cannot compare the files with the manifest: %v", found.Err)
	}
	for _, f := range found.Files {
		if _, isListed := m.Files[f.Path]; !isListed {
			p.Report(validate.Finding{
				Place:   validate.Place{File: path.Join(p.Dir, f.Path)},
				Message: fmt.Sprintf("%s is not listed in the manifest", f.Path), Help: helpModified,
			})
		}
	}
}
