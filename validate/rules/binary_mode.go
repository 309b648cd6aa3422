package rules

import (
	"fmt"
	"path"
	"runtime"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func binaryMode() validate.Rule {
	return validate.Rule{
		ID:       "binary-mode",
		Severity: validate.Error,
		Summary:  "executables may be executed",
		Why:      "Outside of Windows a file that its owner may not execute does not start. Copying through some systems and archives loses that permission.",
		Help:     "run chmod 755 on it",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, m := range binariesOf(p).matches {
				if m.platform == (bundle.Platform{}) || m.platform.OS == "windows" || m.info.Mode().Perm()&0o100 != 0 {
					continue
				}
				if runtime.GOOS == "windows" && p.Where != validate.Zip {
					p.Skipf("Windows does not know which files may be executed elsewhere")
					return
				}
				if !isFirst(p, "binary-mode", m.file) {
					continue
				}
				p.Report(validate.Finding{
					Place:   validate.Place{File: m.file},
					Message: fmt.Sprintf("%s may not be executed: its mode is %04o", path.Base(m.file), m.info.Mode().Perm()),
					Related: namedHere(p),
					Fix: &validate.Fix{
						Title: "make it executable",
						Edits: []validate.Edit{{File: m.file, MakeExecutable: true}},
					},
				})
			}
		},
	}
}
