package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func zipBomb(p *validate.Pass) {
	reportRefusal(p, true)
	var problems []string
	for _, e := range p.Archive.Entries {
		if e.Refusal != "" {
			problems = append(problems, fmt.Sprintf("zip entry %.200q was not read: %s", e.Name, e.Refusal))
		}
	}
	reportZip(p, problems)
}

func reportRefusal(p *validate.Pass, isBomb bool) {
	if p.Archive.Refusal != "" && p.Archive.IsBomb == isBomb {
		p.Reportf(p.Whole(), "zip was not read: %s", p.Archive.Refusal)
	}
}
