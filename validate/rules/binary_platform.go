package rules

import (
	"errors"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryPlatform(p *validate.Pass) {
	for _, m := range inspect.Executables.Of(p).Matches {
		if m.Platform == (bundle.Platform{}) || !inspect.IsFirst(p, "binary-platform", m.File) {
			continue // binary-name reports it
		}
		actual, err := m.ReadPlatform(p)
		f := validate.Finding{Place: validate.Place{File: m.File}, Related: namedHere(p)}
		switch {
		case errors.Is(err, bundle.ErrNotExecutable):
			f.Message = fmt.Sprintf("%s is not an executable: unknown file header", path.Base(m.File))
		case errors.Is(err, tree.ErrOutside):
			f.Message = path.Base(m.File) + " is a symbolic link that leaves the plugin"
			f.Help = "replace the link with the file"
		case err != nil:
			f.Message = fmt.Sprintf("%s is damaged: %v", path.Base(m.File), err)
		case actual != m.Platform:
			f.Message = fmt.Sprintf("%s is built for %s, not %s", path.Base(m.File), actual, m.Platform)
		default:
			continue
		}
		p.Report(f)
	}
}
