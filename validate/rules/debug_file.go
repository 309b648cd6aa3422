package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func debugFile() validate.Rule {
	return validate.Rule{
		ID:       "debug-file",
		Severity: validate.Error,
		Summary:  "nothing that a debugger left is in a built plugin",
		Why:      "With standalone.txt and pid.txt a service connects to a backend that a debugger has started, instead of starting its own. Where there is no such process, the plugin does not work.",
		Help:     "delete it, and build again without the debugger",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			entries, err := fs.ReadDir(p.FS, p.Dir)
			if err != nil {
				p.Skipf("the folder was not listed: %v", err)
			}
			for _, e := range entries {
				if slices.Contains([]string{"standalone.txt", "pid.txt"}, e.Name()) || strings.HasPrefix(e.Name(), "__debug_bin") {
					p.Report(validate.Finding{
						Place:   validate.Place{File: path.Join(p.Dir, e.Name())},
						Message: fmt.Sprintf("%s is left from debugging", e.Name()),
					})
				}
			}
		},
	}
}
