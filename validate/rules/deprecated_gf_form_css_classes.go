package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/script"
)

func deprecatedGfFormCSSClasses() validate.Rule {
	return validate.Rule{
		ID:       "deprecated-gf-form-css-classes",
		Severity: validate.Info,
		Catalog:  validate.Warning,
		Summary:  "frontend that uses the CSS classes gf-form",
		Why:      "The classes belong to the old style sheets of the host, which are being removed. Forms then lose their layout.",
		Help:     "use InlineField, Field and the other components of @grafana/ui",
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for _, t := range s.Tokens {
					if t.Kind != script.String && t.Kind != script.Template {
						continue
					}
					for _, m := range gfForm.FindAllIndex(s.Data[t.From:t.To], -1) {
						span := script.Span{From: t.From + m[0], To: t.From + m[1]}
						p.Reportf(s.Place(p, span), "the CSS class %s is deprecated", s.Data[span.From:span.To])
					}
				}
			}, "gf-form")
		},
	}
}

var gfForm = regexp.MustCompile(`\bgf-form[\w-]*`)
