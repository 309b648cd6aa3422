package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipBackslash(p *validate.Pass) {
	var problems []string
	for _, e := range p.Archive.Entries {
		if strings.Contains(e.Name, `\`) {
			problems = append(problems, fmt.Sprintf("zip entry %.200q contains a backslash", e.Name))
		}
	}
	reportZip(p, problems)
}
