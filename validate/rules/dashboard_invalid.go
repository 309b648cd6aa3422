package rules

import (
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dashboardInvalid(p *validate.Pass) {
	for _, d := range inspect.Dashboards.Of(p) {
		if d.Err == nil {
			continue
		}
		path, _ := p.Doc.Text(d.Pointer + "/path")
		f := validate.Finding{
			Severity: badDashboard.in(p),
			Place:    p.Value(d.Pointer + "/path"),
			Message:  fmt.Sprintf("dashboard %q %v", path, d.Err),
		}
		if errors.Is(d.Err, inspect.ErrNoUID) {
			f.Severity, f.Help = dashboardWithoutUID.in(p), `set "uid" in the dashboard`
			if !p.Profile.IsLenient { // the import of others does not read the uid of the entry
				f.Help += `, or in its entry in "includes"`
			}
		}
		p.Report(f)
	}
}
