package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangePatchOnly() validate.Rule {
	return validate.Rule{
		ID:      "dependency-range-patch-only",
		Summary: "range with patch releases of only one minor version",
		Why:     "A new minor version of the service is released every few weeks. With the next one, the plugin can no longer be installed.",
		Help:    "write only a lower bound, such as >=10.3.0",
		Check: func(p *validate.Pass) {
			d := inspect.ServiceRange(p)
			if d.Range.Width() != ranges.OneMinor {
				return
			}
			lowest, _ := d.Range.Lowest()
			p.Report(validate.Finding{
				Place:   p.Value(d.Pointer),
				Message: fmt.Sprintf("%q allows only patch releases of %d.%d", d.Text, lowest.Major(), lowest.Minor()),
				Help:    fmt.Sprintf("write >=%s if the plugin also works with later versions", lowest),
			})
		},
	}
}
