package rules

import (
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangeSingleVersion(p *validate.Pass) {
	if d := inspect.ServiceRange(p); d.Range.Width() == ranges.OneVersion {
		p.Reportf(p.Value(d.Pointer), "%q allows only a single service version", d.Text)
	}
}
