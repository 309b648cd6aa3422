package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipBackslash() validate.Rule {
	return validate.Rule{
		ID:      "zip-backslash",
		Summary: "backslash in the name of a zip entry",
		Why: "Some tools on Windows write backslashes, which the zip format does not allow. Other systems unpack such an entry to a " +
			"file with a backslash in its name.",
		Help:      "package with a tool that writes slashes",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var problems []string
			for _, e := range p.Archive.Entries {
				if strings.Contains(e.Name, `\`) {
					problems = append(problems, fmt.Sprintf("zip entry %.200q contains a backslash", e.Name))
				}
			}
			reportZip(p, problems)
		},
	}
}
