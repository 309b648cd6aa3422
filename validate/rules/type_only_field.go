package rules

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// fieldOfTypes is a property that has an effect in plugins of some types only.
type fieldOfTypes struct {
	name  string
	kind  string // of its value; "" is a switch, which counts where it is on
	types []string
}

// fieldsOfTypes lists them. The service also forwards the routes of apps.
func fieldsOfTypes() []fieldOfTypes {
	app, panel, datasource := []string{"app"}, []string{"panel"}, []string{"datasource"}
	return []fieldOfTypes{
		{"preload", "", app}, {"autoEnabled", "", app},
		{"skipDataQuery", "", panel},
		{"queryOptions", "object", datasource}, {"category", "string", datasource}, {"metrics", "", datasource},
		{"logs", "", datasource}, {"annotations", "", datasource}, {"streaming", "", datasource},
		{"tracing", "", datasource}, {"alerting", "", datasource}, {"routes", "array", []string{"datasource", "app"}},
	}
}

func typeOnlyField() validate.Rule {
	return validate.Rule{
		ID:       "type-only-field",
		Severity: validate.Warning,
		Summary:  "properties for one type of plugin are not in others",
		Why:      "The service reads \"preload\" of apps, \"skipDataQuery\" of panels, \"metrics\" of data sources and so on. Elsewhere they have no effect, so what they promise is not there.",
		Help:     "delete it, or correct \"type\"",
		Check: func(p *validate.Pass) {
			kind, _ := p.Doc.Text("/type")
			if !slices.Contains(bundle.Types(), bundle.Type(kind)) {
				return // enum-value speaks of it
			}
			for _, f := range fieldsOfTypes() {
				at := "/" + f.name
				isOn := p.Doc.Bool(at) || f.kind != "" && p.Doc.Kind(at) == f.kind
				if !isOn || slices.Contains(f.types, kind) {
					continue // a value of another kind is wrong-type's
				}
				if f.name == "alerting" && !p.Doc.Bool("/backend") && p.Runs("alerting-needs-backend") {
					continue // one fault, one finding
				}
				p.Report(validate.Finding{
					Place:   p.Key(at),
					Message: fmt.Sprintf("%q has no effect here: it is for plugins of type %s, and this one is of type %s", f.name, either(f.types), kind),
					Related: []validate.Related{{Place: p.Value("/type"), Message: "the type is here"}},
				})
			}
		},
	}
}
