package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func zipBomb() validate.Rule {
	return validate.Rule{
		ID:      "zip-bomb",
		Summary: "zip that is too large, or suspiciously well compressed",
		Why: "A small zip can unpack to an enormous size and fill the disk, so hosts reject it. Content beyond the limits is not " +
			"validated.",
		Help:      "package again with a common tool, and leave out what the plugin does not need",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			reportRefusal(p, true)
			var problems []string
			for _, e := range p.Archive.Entries {
				if e.Refusal != "" {
					problems = append(problems, fmt.Sprintf("zip entry %.200q was not read: %s", e.Name, e.Refusal))
				}
			}
			reportZip(p, problems)
		},
	}
}

func reportRefusal(p *validate.Pass, isBomb bool) {
	if p.Archive.Refusal != "" && p.Archive.IsBomb == isBomb {
		p.Reportf(p.Whole(), "zip was not read: %s", p.Archive.Refusal)
	}
}
