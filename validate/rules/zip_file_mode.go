package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/validate"
)

func zipFileMode(p *validate.Pass) {
	var problems []string
	for _, e := range p.Archive.Entries {
		if mode := e.Mode.Perm(); e.Mode.IsRegular() && mode&0o444 != 0o444 {
			problems = append(problems, fmt.Sprintf("not everyone may read %.200q: its mode is %04o", e.Name, mode))
		}
	}
	reportZip(p, problems)
}
