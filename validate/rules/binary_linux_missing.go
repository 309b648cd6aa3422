package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryLinuxMissing() validate.Rule {
	return validate.Rule{
		ID:      "binary-linux-missing",
		Summary: "backend without an executable for linux/amd64",
		Why:     "The catalog requires an executable for linux/amd64, on which most hosts run, next to those for other platforms.",
		Help:    "build for all platforms, or add linux/amd64",
		Where:   validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			b := inspect.Executables.Of(p)
			hasIt := slices.ContainsFunc(b.Matches, func(e inspect.Executable) bool {
				return e.Platform == bundle.Platform{OS: "linux", Arch: "amd64"} // binary-platform compares it with the header
			})
			if len(b.Matches) > 0 && !hasIt {
				p.Reportf(p.Value("/executable"), "no executable %s_linux_amd64", b.Name)
			}
		},
	}
}
