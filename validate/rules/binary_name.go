package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

const binaryNameID = "binary-name"

func binaryName(p *validate.Pass) {
	b := inspect.Executables.Of(p)
	if b.Name != "" && len(b.Matches) == 0 && len(b.Others) > 0 {
		p.Report(validate.Finding{
			Place:   p.Value("/executable"),
			Message: fmt.Sprintf(`"executable" is %q, but the executables here are named %s`, b.Name, strings.Join(b.Others, ", ")),
			Help:    `correct "executable", or rename the files`,
		})
	}
	for _, m := range b.Matches {
		if m.Platform != (bundle.Platform{}) || !inspect.IsFirst(p, binaryNameID, m.File) {
			continue
		}
		f := validate.Finding{
			Place:   validate.Place{File: m.File},
			Message: "no host looks for a file named " + path.Base(m.File),
			Related: namedHere(p),
		}
		if platform, err := m.ReadPlatform(p); err == nil {
			f.Help = "rename it to " + path.Base(platform.Executable(b.Name))
		} else if strings.Contains(path.Base(m.File), ".") && !strings.HasSuffix(m.File, ".exe") {
			continue // not a program, but a signature or the like
		}
		p.Report(f)
	}
}

// namedHere returns the position of the executable's name in plugin.json.
func namedHere(p *validate.Pass) []validate.Related {
	return []validate.Related{{Place: p.Value("/executable"), Message: "the executable is named here"}}
}
