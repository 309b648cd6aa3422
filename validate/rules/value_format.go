package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

func valueFormat(p *validate.Pass) {
	for _, v := range schema.Violations(p, "minLength", "pattern", "format") {
		text, _ := p.Doc.Text(v.Pointer)
		switch v.Keyword {
		case "minLength":
			if v.Node.MinLength == 1 {
				continue // required-field reports it
			}
		case "pattern":
			if d := inspect.ServiceRange(p); d.Err != nil && v.Pointer == d.Pointer && p.Runs(dependencyRangeInvalidID) {
				continue
			}
		case "format":
			if v.Node.Format == "uri" && strings.Contains(text, "{{") { // a template
				continue
			}
		}
		if resolved := inspect.Resolved(p, text); resolved != text && v.Node.Validate(resolved) == nil {
			continue
		}
		f := validate.Finding{Severity: violation.in(p), Place: v.Place(p), Message: v.Message(p.Doc)}
		if len(v.Node.Examples) > 0 {
			f.Help = fmt.Sprintf("write it like %s", schema.Either(v.Examples()))
		}
		p.Report(f)
	}
}
