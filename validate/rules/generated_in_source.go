package rules

import "github.com/slipway-dev/slipway/validate"

func generatedInSource() validate.Rule {
	return validate.Rule{
		ID:       "generated-in-source",
		Severity: validate.Error,
		Summary:  "\"generated\" is only in a built plugin.json",
		Why:      "The build finds out what \"generated\" says and writes it into dist. In source it goes stale and hides what the build would find.",
		Help:     "delete \"generated\" here; the build writes it into dist",
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			if p.Doc.Has("/generated") {
				p.Report(validate.Finding{
					Place:   p.Key("/generated"),
					Message: "\"generated\" is written by the build and does not belong in source",
					Fix:     &validate.Fix{Title: "delete \"generated\"", Edits: []validate.Edit{p.Remove("/generated")}},
				})
			}
		},
	}
}
