package rules

import (
	"bytes"
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

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
				for at := 0; ; {
					from := lineWith(c.Data, "<<<<<<< ", at)
					middle := lineWith(c.Data, "=======", from)
					to := lineWith(c.Data, ">>>>>>> ", middle)
					if from < 0 || middle < 0 || to < 0 {
						return
					}
					at = to + len(">>>>>>>")
					place := c.Place(p, from, at)
					p.Report(validate.Finding{Place: place, Message: fmt.Sprintf("unresolved merge conflict in lines %d to %d", place.Line, place.EndLine)})
				}
			})
		},
	}
}

// lineWith returns where a line begins with a text, from an offset on, or -1. It is -1 for the offset -1.
func lineWith(data []byte, text string, from int) int {
	if from < 0 {
		return -1
	}
	if from == 0 && bytes.HasPrefix(data, []byte(text)) {
		return 0
	}
	at := bytes.Index(data[from:], []byte("\n"+text))
	if at < 0 {
		return -1
	}
	return from + at + 1
}
