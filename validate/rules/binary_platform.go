package rules

import (
	"errors"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func binaryPlatform() validate.Rule {
	return validate.Rule{
		ID:       "binary-platform",
		Severity: validate.Error,
		Summary:  "an executable is a program for the platform that its name says",
		Why:      "A system refuses to start a program for another one. The header of the file says which it is for.",
		Help:     "build it again for the platform in its name",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, m := range binariesOf(p).matches {
				if m.platform == (bundle.Platform{}) || !isFirst(p, "binary-platform", m.file) {
					continue // without a platform it is binary-name's
				}
				is, err := header(p, m)
				f := validate.Finding{Place: validate.Place{File: m.file}, Related: namedHere(p)}
				switch {
				case errors.Is(err, bundle.ErrNotExecutable):
					f.Message = fmt.Sprintf("%s is no program: its first bytes are not those of one", path.Base(m.file))
				case errors.Is(err, errOutside):
					f.Message = path.Base(m.file) + " is a symbolic link out of the plugin"
					f.Help = "put the file itself here"
				case err != nil:
					f.Message = fmt.Sprintf("%s is damaged: %v", path.Base(m.file), err)
				case is != m.platform:
					f.Message = fmt.Sprintf("%s is a program for %s, not for %s", path.Base(m.file), is, m.platform)
				default:
					continue
				}
				p.Report(f)
			}
		},
	}
}
