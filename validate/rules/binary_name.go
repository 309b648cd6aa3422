package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func binaryName() validate.Rule {
	return validate.Rule{
		ID:       "binary-name",
		Severity: validate.Error,
		Summary:  "executables are named <executable>_<os>_<arch>, with .exe on Windows",
		Why:      "The service puts the name together from \"executable\" and its own platform. It does not find a file of any other name.",
		Help:     "name it as Go names systems and architectures, such as gpx_clock_linux_amd64 or gpx_clock_windows_amd64.exe",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			b := binariesOf(p)
			if b.name != "" && len(b.matches) == 0 && len(b.others) > 0 {
				p.Report(validate.Finding{
					Place:   p.Value(executablePointer),
					Message: fmt.Sprintf("\"executable\" is %q, but the executables here are named %s", b.name, either(b.others)),
					Help:    "write the name that the files have, or rename the files",
				})
			}
			for _, m := range b.matches {
				if m.platform != (bundle.Platform{}) || !isFirst(p, "binary-name", m.file) {
					continue
				}
				f := validate.Finding{
					Place:   validate.Place{File: m.file},
					Message: fmt.Sprintf("the name %s does not end with a platform that the service looks for", path.Base(m.file)),
					Related: namedHere(p),
				}
				if is, err := header(p, m); err == nil {
					f.Help = "rename it to " + path.Base(is.Executable(b.name))
				} else if strings.Contains(path.Base(m.file), ".") && !strings.HasSuffix(m.file, ".exe") {
					continue // a file beside it, such as a signature, and no program
				}
				p.Report(f)
			}
		},
	}
}
