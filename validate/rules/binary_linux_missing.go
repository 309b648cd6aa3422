package rules

import (
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryLinuxMissing(p *validate.Pass) {
	b := inspect.Executables.Of(p)
	hasIt := slices.ContainsFunc(b.Matches, func(e inspect.Executable) bool {
		return e.Platform == bundle.Platform{OS: "linux", Arch: "amd64"} // binary-platform compares it with the header
	})
	if len(b.Matches) > 0 && !hasIt {
		p.Reportf(p.Value("/executable"), "no executable %s_linux_amd64", b.Name)
	}
}
