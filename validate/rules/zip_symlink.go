package rules

import (
	"fmt"
	"io/fs"

	"github.com/slipway-dev/slipway/validate"
)

func zipSymlink() validate.Rule {
	return validate.Rule{
		ID:      "zip-symlink",
		Summary: "symbolic link or special file in a zip",
		Why: "A symbolic link in a zip can lead anywhere on the machine that unpacks it, so hosts reject it. On Windows it becomes " +
			"a text file.",
		Help:      "package the target of the link instead",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var problems []string
			for _, e := range p.Archive.Entries {
				switch {
				case e.Mode&fs.ModeSymlink != 0:
					problems = append(problems, fmt.Sprintf("zip entry %.200q is a symbolic link", e.Name))
				case !e.Mode.IsRegular() && !e.Mode.IsDir():
					problems = append(problems, fmt.Sprintf("zip entry %.200q is a device, pipe or socket", e.Name))
				}
			}
			reportZip(p, problems)
		},
	}
}
