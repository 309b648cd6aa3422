package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func roleActionPrefix() validate.Rule {
	return validate.Rule{
		ID:       "role-action-prefix",
		Severity: validate.Error,
		Summary:  "every action in a role begins with the id of the plugin",
		Why:      "A plugin may hand out only its own actions. The service refuses roles with the actions of others.",
		Help:     "begin the action with the id of the plugin and a dot or a colon",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			if id == "" {
				return
			}
			for _, role := range p.Doc.Items("/roles") {
				for _, permission := range p.Doc.Items(role + "/role/permissions") {
					checkAction(p, id, permission+"/action")
				}
			}
		},
	}
}

func checkAction(p *validate.Pass, id, pointer string) {
	action, ok := p.Doc.Text(pointer)
	if !ok || slices.Contains(sharedActions(p.Profile), action) {
		return
	}
	rest, isOwn := strings.CutPrefix(action, id)
	switch {
	case !isOwn:
		p.Report(validate.Finding{
			Place:   p.Value(pointer),
			Message: fmt.Sprintf("the action %q does not begin with the plugin's id %q", action, id),
			Help:    fmt.Sprintf("begin it with the id, such as %q", id+"."+action),
			Related: []validate.Related{{Place: p.Value("/id"), Message: "the id is here"}},
		})
	case !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ":"):
		p.Report(validate.Finding{
			Severity: validate.Warning,
			Place:    p.Value(pointer),
			Message:  fmt.Sprintf("the action %q has no dot or colon after the plugin's id, so it could belong to another plugin", action),
		})
	}
}

// sharedActions are those of the service itself that a plugin may hand out there:
// Grafana has one for opening the pages of an app.
func sharedActions(profile bundle.Profile) []string {
	return map[string][]string{"grafana": {"plugins.app:access"}}[profile.Name]
}
