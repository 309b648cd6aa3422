package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func zipBomb() validate.Rule {
	return validate.Rule{
		ID:        "zip-bomb",
		Severity:  validate.Error,
		Summary:   "a zip unpacks to what its size lets one expect",
		Why:       "A small zip that unpacks to very much fills the disk of whoever unpacks it, so services refuse it. What is beyond the limits is not read here either.",
		Help:      "pack again with a common tool, and leave out what the plugin does not need",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			if p.Archive.Refusal != "" {
				p.Reportf(p.Whole(), "the zip is not read: %s", p.Archive.Refusal)
				return
			}
			var faults []string
			for _, e := range p.Archive.Entries {
				if e.Refusal != "" {
					faults = append(faults, fmt.Sprintf("the entry %.200q of the zip is not read: %s", e.Name, e.Refusal))
				}
			}
			reportZip(p, faults)
		},
	}
}
