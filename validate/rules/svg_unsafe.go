package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/validate"
)

func svgUnsafe() validate.Rule {
	return validate.Rule{
		ID:       "svg-unsafe",
		Severity: validate.Error,
		Summary:  "SVG images run no code and load nothing",
		Why:      "An SVG image can hold scripts and load files from elsewhere. In a browser that acts in the name of the user who looks at it.",
		Help:     "delete it from the image",
		Check: func(p *validate.Pass) {
			for _, i := range images(p) {
				if i.kind != "svg" || i.err != nil || !isFirst(p, "svg-unsafe", i.file) {
					continue
				}
				dangers, err := scanSVG(i.data)
				if err != nil {
					p.Skipf("%s was read only in part: %v", i.text, err)
				}
				for _, d := range dangers {
					p.Report(validate.Finding{
						Place:   placeIn(p, i.file, i.data, d.from, d.to),
						Message: fmt.Sprintf("%s: %s", path.Base(i.file), d.problem),
						Help:    d.help,
						Related: []validate.Related{{Place: p.Value(i.pointer), Message: "plugin.json names the image here"}},
					})
				}
			}
		},
	}
}
