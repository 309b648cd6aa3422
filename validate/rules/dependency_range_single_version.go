package rules

import (
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangeSingleVersion() validate.Rule {
	return validate.Rule{
		ID:      "dependency-range-single-version",
		Summary: "range with a single service version",
		Why:     "With the next release of the service, even a patch release, the plugin can no longer be installed.",
		Help:    "put >= before the version",
		Check: func(p *validate.Pass) {
			if d := inspect.ServiceRange(p); d.Range.Width() == ranges.OneVersion {
				p.Reportf(p.Value(d.Pointer), "%q allows only a single service version", d.Text)
			}
		},
	}
}
