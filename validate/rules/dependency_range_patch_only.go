package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangePatchOnly(p *validate.Pass) {
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
}
