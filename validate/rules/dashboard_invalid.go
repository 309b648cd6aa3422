package rules

import (
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dashboardInvalid() validate.Rule {
	return validate.Rule{
		ID:       "dashboard-invalid",
		Severity: validate.Error,
		Summary:  "included dashboard that the host does not import",
		Why: "The host offers included dashboards for import. It refuses one that it cannot store, so users of the plugin cannot " +
			"import it. In the grafana profile, the finding is a warning, or info if only the uid is missing.",
		Help: "export the dashboard again, with its title and uid",
		Check: func(p *validate.Pass) {
			for _, d := range inspect.Dashboards.Of(p) {
				if d.Err == nil {
					continue
				}
				path, _ := p.Doc.Text(d.Pointer + "/path")
				f := validate.Finding{
					Place:   p.Value(d.Pointer + "/path"),
					Message: fmt.Sprintf("dashboard %q %v", path, d.Err),
				}
				isUID := errors.Is(d.Err, inspect.ErrNoUID)
				isGrafana := p.Profile.Name == "grafana"
				if isGrafana {
					f.Severity = validate.Warning
				}
				switch {
				case isUID && isGrafana: // whose import does not read the uid of the entry
					f.Severity, f.Help = validate.Info, `set "uid" in the dashboard`
				case isUID:
					f.Help = `set "uid" in the dashboard, or in its entry in "includes"`
				}
				p.Report(f)
			}
		},
	}
}
