package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// conflict matches both sides of a conflict, with the lines around them. The group ends with the last of these marks.
var conflict = regexp.MustCompile(`(?ms)(^<<<<<<< .*?^=======.*?^>>>>>>>) `)

func mergeConflict(p *validate.Pass) {
	inspect.EachWithText(p, "<<<<<<< ", func(c *inspect.Code) {
		for _, m := range conflict.FindAllSubmatchIndex(c.Data, -1) {
			place := c.Place(p, m[0], m[3])
			p.Reportf(place, "unresolved merge conflict in lines %d to %d", place.Line, place.EndLine)
		}
	})
}
