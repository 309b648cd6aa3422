package rules

import (
	"fmt"
	"path"
	"runtime"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func binaryMode(p *validate.Pass) {
	set := inspect.Executables.Of(p)
	if !otherMode.isOff(p) {
		for _, m := range set.Alike {
			if mode := m.Info.Mode().Perm(); mode != 0o755 && path.Ext(m.File) != ".exe" {
				p.Report(validate.Finding{Place: validate.Place{File: m.File},
					Message: fmt.Sprintf("the mode of %s is %04o; the catalog requires 0755 of each file whose name begins with that of the executable",
						path.Base(m.File), mode),
					Help: "rename the file, or leave it out"})
			}
		}
	}
	for _, m := range set.Matches {
		mode := m.Info.Mode().Perm()
		isExecutable := mode&0o100 != 0
		if m.Platform == (bundle.Platform{}) || m.Platform.OS == "windows" || isExecutable && (mode == 0o755 || otherMode.isOff(p)) {
			continue
		}
		if runtime.GOOS == "windows" && p.Where != validate.Zip {
			p.Skipf("Windows has no execute permission")
			return
		}
		if !inspect.IsFirst(p, "binary-mode", m.File) {
			continue
		}
		message := fmt.Sprintf("%s is not executable: its mode is %04o", path.Base(m.File), mode)
		if isExecutable {
			message = fmt.Sprintf("the mode of %s is %04o; the catalog requires 0755", path.Base(m.File), mode)
		}
		p.Report(validate.Finding{
			Place:   validate.Place{File: m.File},
			Message: message,
			Related: namedHere(p),
			Fix: &validate.Fix{
				Title: "make it executable",
				Edits: []validate.Edit{{File: m.File, MakeExecutable: true}},
			},
		})
	}
}
