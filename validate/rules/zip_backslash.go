package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipBackslash() validate.Rule {
	return validate.Rule{
		ID:        "zip-backslash",
		Severity:  validate.Error,
		Summary:   "the names in a zip separate folders by slashes",
		Why:       "Some tools on Windows write backslashes, which the format does not allow. Elsewhere such an entry becomes one file with a backslash in its name, and the plugin has no files.",
		Help:      "pack with a tool that writes slashes",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var faults []string
			for _, e := range p.Archive.Entries {
				if strings.Contains(e.Name, `\`) {
					faults = append(faults, fmt.Sprintf("the entry %.200q of the zip has a backslash in its name", e.Name))
				}
			}
			reportZip(p, faults)
		},
	}
}
