package rules

import (
	"fmt"
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// conflict matches both sides of a conflict, with the lines around them. The group ends with the last of these marks.
var conflict = regexp.MustCompile(`(?ms)(^<<<<<<< .*?^=======.*?^>>>>>>>) `)

func mergeConflict() validate.Rule {
	return validate.Rule{
		ID:      "merge-conflict",
		Summary: "file with an unresolved merge conflict",
		Why: "Git leaves both sides of a conflict in the file, between lines of <, = and >. Code with them cannot be compiled, and a host or " +
			"a browser cannot read other files. json-syntax reports them in plugin.json. Go files are not read: the compiler reports them.",
		Help:        "keep one side of it, or both, and delete the lines that begin with <, = and >",
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			inspect.EachWithText(p, "<<<<<<< ", func(c *inspect.Code) {
				for _, m := range conflict.FindAllSubmatchIndex(c.Data, -1) {
					place := c.Place(p, m[0], m[3])
					p.Report(validate.Finding{Place: place, Message: fmt.Sprintf("unresolved merge conflict in lines %d to %d", place.Line, place.EndLine)})
				}
			})
		},
	}
}
