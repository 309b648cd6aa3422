package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func deprecatedGfFormCSSClasses(p *validate.Pass) {
	inspect.EachTypeScript(p, func(s *inspect.Script) {
		for _, at := range s.MatchStrings(gfForm) {
			p.Reportf(s.Place(p, at), "the CSS class %s is deprecated", s.Data[at.From:at.To])
		}
	}, "gf-form")
}

var gfForm = regexp.MustCompile(`\b(gf-form(?:-[\w-]*)?)(?:[^\w-]|$)`) // but not gf-formatted
