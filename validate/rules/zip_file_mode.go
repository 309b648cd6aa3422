package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func zipFileMode() validate.Rule {
	return validate.Rule{
		ID:      "zip-file-mode",
		Summary: "file in the zip that not everyone may read",
		Why: "A zip keeps the permissions of its files. A host that runs as another user than the one who unpacks the plugin cannot read " +
			"files that only their owner may read.",
		Help:      "run chmod a+r on the files before packaging",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var problems []string
			for _, e := range p.Archive.Entries {
				if mode := e.Mode.Perm(); e.Mode.IsRegular() && mode&0o444 != 0o444 {
					problems = append(problems, fmt.Sprintf("not everyone may read %.200q: its mode is %04o", e.Name, mode))
				}
			}
			reportZip(p, problems)
		},
	}
}
