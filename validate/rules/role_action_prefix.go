package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func roleActionPrefix(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	if id == "" {
		return
	}
	for _, role := range p.Doc.Items("/roles") {
		for _, permission := range p.Doc.Items(role + "/role/permissions") {
			checkAction(p, id, permission+"/action")
		}
	}
}

func checkAction(p *validate.Pass, id, pointer string) {
	action, ok := p.Doc.Text(pointer)
	action = inspect.Resolved(p, action)
	if !ok || p.Profile.IsLenient && action == access.PluginsAccess { // which opens the pages of an app
		return
	}
	rest, isOwn := strings.CutPrefix(action, id)
	switch {
	case !isOwn:
		p.Report(validate.Finding{
			Place:   p.Value(pointer),
			Message: fmt.Sprintf("action %q does not begin with the plugin's id %q", action, id),
			Help:    fmt.Sprintf("prefix it with the id, as in %q", id+"."+action),
			Related: []validate.Related{{Place: p.Value("/id"), Message: "the id is set here"}},
		})
	case !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, ":"):
		p.Reportf(p.Value(pointer), "action %q has no dot or colon after the plugin's id, so it may belong to another plugin", action)
	}
}
