package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func debugFile() validate.Rule {
	return validate.Rule{
		ID:      "debug-file",
		Summary: "debugger file in a built plugin",
		Why: "standalone.txt and pid.txt contain the address and process id of a backend that was started in a debugger. On another " +
			"machine they are wrong: a backend built with Grafana's SDK makes the host connect to that address if any process has that id. A " +
			"file whose name begins with __debug_bin is an executable built for a debugger. What editors and systems leave behind, such " +
			"as Thumbs.db, is an info.",
		Help:  "delete it, and build again without the debugger",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			entries, err := fs.ReadDir(p.FS, p.Dir)
			if err != nil {
				p.Skipf("cannot list the directory: %v", err)
			}
			for _, e := range entries {
				if slices.Contains([]string{"standalone.txt", "pid.txt"}, e.Name()) || strings.HasPrefix(e.Name(), "__debug_bin") {
					p.Report(validate.Finding{
						Place:   validate.Place{File: path.Join(p.Dir, e.Name())},
						Message: fmt.Sprintf("%s is left over from debugging", e.Name()),
					})
				}
			}
			reportJunk(p)
		},
	}
}

// reportJunk reports what editors and systems leave behind, in the whole plugin.
func reportJunk(p *validate.Pass) {
	if p.IsNested {
		return
	}
	files, err := filesOf(p)
	if err != nil {
		p.Skipf("cannot list the files: %v", err)
	}
	for _, name := range files {
		if slices.ContainsFunc(strings.Split(name, "/"), bundle.IsJunk) {
			p.Report(validate.Finding{Severity: strayFile.in(p), Place: validate.Place{File: path.Join(p.Dir, name)},
				Message: fmt.Sprintf("%s is left over from an editor or the system", name), Help: "delete it, or build with Slipway, which leaves it out"})
		}
	}
}
