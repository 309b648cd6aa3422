package rules

import (
	"github.com/slipway-dev/slipway/validate"
)

func generatedInSource(p *validate.Pass) {
	if p.Doc.Has("/generated") {
		p.Report(validate.Finding{
			Place:   p.Key("/generated"),
			Message: `"generated" is written by the build and does not belong in source`,
			Fix:     &validate.Fix{Title: `delete "generated"`, Edits: []validate.Edit{p.Remove("/generated")}},
		})
	}
}
