package rules

import (
	"bytes"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// minifiedLine is the length from which a line is taken for generated.
const minifiedLine = 2000

var mapComment = regexp.MustCompile(`//[#@] ?sourceMappingURL=(\S+)\s*$`)

func sourcemapMissing() validate.Rule {
	return validate.Rule{
		ID:       "sourcemap-missing",
		Severity: validate.Warning,
		Summary:  "bundled module.js without a source map",
		Why: "Without a source map, a stack trace points at a column of one very long line, and reviewers cannot see what the bundle " +
			"was built from.",
		Help:  "configure the frontend build to write module.js.map",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			name := path.Join(p.Dir, moduleFile)
			if !inspect.Exists(p, name) || inspect.Exists(p, name+".map") {
				return
			}
			data, err := inspect.ReadFile(p, p.Root, name, maxScriptBytes)
			if err != nil {
				p.Skipf("cannot read module.js: %v", err)
				return
			}
			if m := mapComment.FindSubmatchIndex(data[max(0, len(data)-1024):]); m != nil {
				from := max(0, len(data)-1024)
				target := string(data[from+m[2] : from+m[3]])
				if strings.HasPrefix(target, "data:") || isThere(p, path.Join(p.Dir, target)) {
					return
				}
				p.Reportf(validate.Place{File: name}, "module.js refers to the source map %.200q, which does not exist", target)
				return
			}
			for line := range bytes.Lines(data) {
				if len(line) >= minifiedLine {
					p.Reportf(validate.Place{File: name}, "module.js is bundled, but there is no module.js.map")
					return
				}
			}
		},
	}
}

func isThere(p *validate.Pass, name string) bool {
	return fs.ValidPath(name) && inspect.IsInside(p.Root, name) && inspect.Exists(p, name)
}
