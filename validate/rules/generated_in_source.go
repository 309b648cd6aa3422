package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

func generatedInSource() validate.Rule {
	return validate.Rule{
		ID:      schema.GeneratedInSource,
		Summary: `"generated" in source`,
		Why:     `The build derives "generated" and writes it to dist. In source it becomes stale and hides what the build derives.`,
		Help:    `delete "generated"; the build writes it to dist`,
		Where:   validate.Source,
		Check: func(p *validate.Pass) {
			if p.Doc.Has("/generated") {
				p.Report(validate.Finding{
					Place:   p.Key("/generated"),
					Message: `"generated" is written by the build and does not belong in source`,
					Fix:     &validate.Fix{Title: `delete "generated"`, Edits: []validate.Edit{p.Remove("/generated")}},
				})
			}
		},
	}
}
