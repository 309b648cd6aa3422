package rules

import (
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func fieldOutsideRange(p *validate.Pass) {
	d, ok := publishedIn(p, inspect.HostRanges.Of(p))
	if !ok {
		return
	}
	report := func(k kind, pointer, what, has string) {
		d.report(p, validate.Finding{Place: p.Value(pointer), Message: what, Severity: k.in(p)}, d.Admitted&^hosts(has))
	}
	if kind, _ := p.Doc.Text("/type"); kind == string(bundle.TypeSecretsManager) {
		// pull requests 49544 and 101467 of https://github.com/grafana/grafana
		report(refusedType, "/type", "existing hosts have secretsmanager plugins in 9.1 to 11.6", ">=9.1 <12")
	}
	for _, route := range p.Doc.Items("/routes") {
		if action, _ := p.Doc.Text(route + "/reqAction"); action == "" {
			continue
		}
		k := ordinary
		if role, _ := p.Doc.Text(route + "/reqRole"); role != "" {
			k = routeWithRole
		}
		// 80578, in the changelog of 10.4.0
		report(k, route+"/reqAction", "existing hosts do not check \"reqAction\" before 10.4", ">=10.4")
	}
	for _, permission := range p.Doc.Items("/iam/permissions") {
		switch action, _ := p.Doc.Text(permission + "/action"); {
		case access.Resource(action) == access.Resource(access.APIKeysRead): // 106019
			report(ordinary, permission+"/action", "existing hosts do not have API keys from 12.1 on", "<12.1")
		case action == access.PlaylistsWrite: // 119975
			report(ordinary, permission+"/action",
				"existing hosts let only editors change playlists before 13.0, whatever their permissions", ">=13.0")
		}
	}
}
