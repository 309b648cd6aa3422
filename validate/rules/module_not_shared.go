package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func moduleNotShared() validate.Rule {
	return validate.Rule{
		ID:       "module-not-shared",
		Severity: validate.Error,
		Summary:  "module.js that asks for a module which a version in its range does not share",
		Why: "The host then looks for a file of that name, finds none, and does not load the plugin. Only modules are compared of which it " +
			"is known since when hosts share them.",
		Help:  "bundle the module, or change the range to versions that share it",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			d, ok := declaredRange(p)
			if !ok {
				return
			}
			r, _ := ranges.Parse(p.Range(d.text))
			m := inspect.Module.Of(p)
			for _, requested := range inspect.Requested(m.Data) {
				providers, text, isKnown := shared.Providers(requested.Module)
				if !isKnown {
					continue
				}
				var without []string
				var hosts shared.Set
				for i := range shared.Minors() {
					if v, ok := shared.Lowest(r, i); ok && !providers.Admits(v) {
						without, hosts = append(without, v.String()), hosts|1<<i
					}
				}
				if len(without) > 0 {
					const most = 4
					if len(without) > most {
						without = append(without[:most], "others")
					}
					p.Report(validate.Finding{
						Place:   inspect.PlaceIn(p, m.File, m.Data, requested.From, requested.To),
						Message: fmt.Sprintf("%s is shared by hosts %s, but the plugin allows %s", requested.Module, text, strings.Join(without, ", ")),
						Related: []validate.Related{{Place: p.Value(d.pointer), Message: "the range is here"}},
						Hosts:   hosts,
					})
				}
			}
		},
	}
}
