package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func deprecatedGfFormCSSClasses() validate.Rule {
	return validate.Rule{
		ID:      "deprecated-gf-form-css-classes",
		Summary: "frontend that uses the CSS classes gf-form",
		Why:     "The classes belong to the old style sheets of the host, which are being removed. Forms then lose their layout.",
		Help:    "use InlineField, Field and the other components of @grafana/ui",
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			inspect.EachTypeScript(p, func(s *inspect.Script) {
				for at := range s.MatchStrings(gfForm) {
					p.Reportf(s.Place(p, at), "the CSS class %s is deprecated", s.Data[at.From:at.To])
				}
			}, "gf-form")
		},
	}
}

var gfForm = regexp.MustCompile(`\b(gf-form(?:-[\w-]*)?)(?:[^\w-]|$)`) // but not gf-formatted
