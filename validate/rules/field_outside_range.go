package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func fieldOutsideRange() validate.Rule {
	return validate.Rule{
		ID:       "field-outside-range",
		Severity: validate.Warning,
		Summary:  "plugin.json with what a version in its range does not support",
		Why: "Existing hosts ignore a field that they do not know: a route that only \"reqAction\" protects is then open to everybody who is " +
			"signed in. They do not load a plugin of a type that they do not know, and deny the backend what \"iam\" asks for. Fields that " +
			"have a rule of their own are left out, such as \"iam\" and \"roles\".",
		Help: "change the range to versions that support it, or do without it",
		Check: func(p *validate.Pass) {
			d, ok := publishedRange(p)
			if !ok {
				return
			}
			report := func(pointer, what, has string, severity validate.Severity) {
				d.report(p, validate.Finding{Place: p.Value(pointer), Message: what, Severity: severity}, d.admitted&^hosts(has))
			}
			if kind, _ := p.Doc.Text("/type"); kind == string(bundle.TypeSecretsManager) {
				// pull requests 49544 and 101467 of https://github.com/grafana/grafana
				report("/type", "existing hosts have secretsmanager plugins in 9.1 to 11.6", ">=9.1 <12", validate.Error)
			}
			for _, route := range p.Doc.Items("/routes") {
				if action, _ := p.Doc.Text(route + "/reqAction"); action == "" {
					continue
				}
				severity := validate.Severity("")
				if role, _ := p.Doc.Text(route + "/reqRole"); role != "" { // which earlier versions check
					severity = validate.Info
				}
				// 80578, in the changelog of 10.4.0
				report(route+"/reqAction", "existing hosts do not check \"reqAction\" before 10.4", ">=10.4", severity)
			}
			for _, permission := range p.Doc.Items("/iam/permissions") {
				switch action, _ := p.Doc.Text(permission + "/action"); {
				case access.Resource(action) == access.Resource(access.APIKeysRead): // 106019
					report(permission+"/action", "existing hosts do not have API keys from 12.1 on", "<12.1", "")
				case action == access.PlaylistsWrite: // 119975
					report(permission+"/action", "existing hosts let only editors change playlists before 13.0, whatever their permissions",
						">=13.0", "")
				}
			}
		},
	}
}

// publishedRange returns the range of existing hosts that plugin.json has under their own key.
func publishedRange(p *validate.Pass) (d declared, ok bool) {
	if !p.Doc.Has("/dependencies/" + bundle.Published().DependencyKey) {
		return d, false
	}
	var r ranges.Range
	if d.pointer, r, ok = inspect.HostRange(p); !ok {
		return d, false
	}
	d.admitted = shared.Admitted(r)
	return d, d.admitted != 0
}

// hosts returns the minor versions of a range.
func hosts(text string) shared.Set {
	r, err := ranges.Parse(text)
	if err != nil {
		panic(err) // the text is that of a table in this package
	}
	return shared.Admitted(r)
}

// report reports what some versions do not have, if there are any. The message says what they lack.
func (d declared) report(p *validate.Pass, f validate.Finding, missing shared.Set) {
	if missing == 0 {
		return
	}
	f.Message += fmt.Sprintf(", but the plugin allows %s", versions(missing))
	f.Related = []validate.Related{{Place: p.Value(d.pointer), Message: "the range is here"}}
	f.Hosts = missing
	p.Report(f)
}
