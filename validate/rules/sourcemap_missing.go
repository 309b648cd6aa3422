package rules

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// minifiedLine is the length of a line that nobody has written by hand.
const minifiedLine = 2000

var mapComment = regexp.MustCompile(`//[#@] ?sourceMappingURL=(\S+)\s*$`)

func sourcemapMissing() validate.Rule {
	return validate.Rule{
		ID:       "sourcemap-missing",
		Severity: validate.Warning,
		Summary:  "a bundled module.js has its source map",
		Why:      "Without the map an error in a user's browser names a column of one endless line, and reviewers cannot see what the script was made of.",
		Help:     "let the build of the frontend write module.js.map",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			name := path.Join(p.Dir, moduleFile)
			if !exists(p, name) || exists(p, name+".map") {
				return
			}
			data, err := readFile(p, p.Root, name, maxScriptBytes)
			if err != nil {
				p.Skipf("module.js was not read: %v", err)
				return
			}
			if m := mapComment.FindSubmatchIndex(data[max(0, len(data)-1024):]); m != nil {
				from := max(0, len(data)-1024)
				target := string(data[from+m[2] : from+m[3]])
				if strings.HasPrefix(target, "data:") || isThere(p, path.Join(p.Dir, target)) {
					return
				}
				p.Reportf(validate.Place{File: name}, "module.js names the source map %s, which is not there", shorten(target))
				return
			}
			for line := range bytes.Lines(data) {
				if len(line) >= minifiedLine {
					p.Reportf(validate.Place{File: name}, "module.js is bundled, and there is no module.js.map")
					return
				}
			}
		},
	}
}

func isThere(p *validate.Pass, name string) bool {
	return fs.ValidPath(name) && isInside(p.Root, name) && exists(p, name)
}
