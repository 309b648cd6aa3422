package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func readmeMissing(p *validate.Pass) { needText(p, "README.md") }

// needText reports that the plugin has none of the files, or that the file is empty. One that comes
// with the host needs none.
func needText(p *validate.Pass, names ...string) {
	if inspect.IsPartOfService(p) {
		return
	}
	found, misnamed := inspect.FindText(p, names...)
	where, isComplete := inspect.TextsBelong(p)
	switch {
	case found == nil && !isComplete:
		p.Skipf("the directory that contains src is not part of this run, and %s may be there", names[0])
	case found == nil && misnamed != "" && !slices.Contains(names, misnamed):
		p.Report(validate.Finding{
			Place:   p.Whole(),
			Message: fmt.Sprintf("missing %s, found %s", names[0], misnamed),
			Help:    fmt.Sprintf("rename it to %s; case matters", names[0]),
		})
	case found == nil:
		p.Report(validate.Finding{
			Place:   p.Whole(),
			Message: "missing " + names[0],
			Help:    fmt.Sprintf("create %s %s", names[0], where),
		})
	case found.Err != nil:
		p.Skipf("cannot read %s: %v", found.File, found.Err)
	case strings.TrimSpace(string(found.Data)) == "":
		p.Reportf(validate.Place{File: found.File}, "%s is empty", path.Base(found.File))
	}
}
