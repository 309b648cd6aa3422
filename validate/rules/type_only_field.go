package rules

import (
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

// fieldOfTypes is a key that has an effect only in plugins of some types.
type fieldOfTypes struct {
	name  string
	kind  string // of its value; "" for a boolean, which counts if it is true
	types []string
}

// fieldsOfTypes returns these keys. The host also proxies the routes of apps.
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

func typeOnlyField(p *validate.Pass) {
	kind, _ := p.Doc.Text("/type")
	if !slices.Contains(bundle.Types(), bundle.Type(kind)) {
		return // enum-value reports it
	}
	for _, f := range fieldsOfTypes() {
		at := "/" + f.name
		isOn := p.Doc.Bool(at) || f.kind != "" && p.Doc.Kind(at) == f.kind
		if !isOn || slices.Contains(f.types, kind) {
			continue // wrong-type reports a value of another kind
		}
		if f.name == "alerting" && !p.Doc.Bool("/backend") && p.Runs(alertingNeedsBackendID) {
			continue // that rule reports it
		}
		p.Report(validate.Finding{
			Place:   p.Key(at),
			Message: fmt.Sprintf("%q has no effect in a plugin of type %s; it applies only to type %s", f.name, kind, schema.Either(f.types)),
			Related: []validate.Related{{Place: p.Value("/type"), Message: "the type is set here"}},
		})
	}
}
