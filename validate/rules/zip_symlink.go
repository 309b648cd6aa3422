package rules

import (
	"fmt"
	"io/fs"

	"github.com/slipway-dev/slipway/validate"
)

func zipSymlink() validate.Rule {
	return validate.Rule{
		ID:        "zip-symlink",
		Severity:  validate.Error,
		Summary:   "a zip holds only files and folders",
		Why:       "A symbolic link in a zip can lead anywhere on the machine that unpacks it, so services refuse it. On Windows it becomes a text file.",
		Help:      "pack the file that the link leads to in its place",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var faults []string
			for _, e := range p.Archive.Entries {
				switch {
				case e.Mode&fs.ModeSymlink != 0:
					faults = append(faults, fmt.Sprintf("the entry %.200q of the zip is a symbolic link", e.Name))
				case !e.Mode.IsRegular() && !e.Mode.IsDir():
					faults = append(faults, fmt.Sprintf("the entry %.200q of the zip is a device, a pipe or a socket", e.Name))
				}
			}
			reportZip(p, faults)
		},
	}
}
