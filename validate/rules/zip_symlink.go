package rules

import (
	"fmt"
	"io/fs"

	"github.com/slipway-dev/slipway/validate"
)

func zipSymlink(p *validate.Pass) {
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
}
