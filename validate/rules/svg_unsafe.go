package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func svgUnsafe() validate.Rule {
	return validate.Rule{
		ID:       "svg-unsafe",
		Severity: validate.Error,
		Summary:  "SVG image that runs code or loads external resources",
		Why:      "An SVG image can contain scripts and load external resources. In a browser, it acts on behalf of the user who views it.",
		Help:     "remove the script or the reference from the image",
		Check:    func(p *validate.Pass) { scanImages(p, maxSVGBytes) },
	}
}

// maxSVGBytes limits how much of the SVG images of a plugin is read. Reports keep the
// images with findings.
const maxSVGBytes = 256 << 20

// scanImages reports the dangers in the SVG images, of which it reads at most left bytes.
func scanImages(p *validate.Pass, left int64) {
	for _, i := range inspect.Images.Of(p) {
		isSVG := i.Kind == "svg" || i.IsTooLarge && strings.EqualFold(path.Ext(i.File), ".svg")
		if !isSVG || !inspect.IsFirst(p, "svg-unsafe", i.File) {
			continue
		}
		if i.IsTooLarge {
			p.Report(validate.Finding{
				Place: p.Value(i.Pointer), Message: fmt.Sprintf("%s is not checked: %v", i.Text, i.Err), Help: "make the image smaller",
			})
			continue
		}
		data, err := i.Read(p)
		if err != nil {
			p.Skipf("cannot read %s: %v", i.Text, err)
			continue
		}
		if left -= int64(len(data)); left < 0 {
			p.Report(validate.Finding{
				Place: p.Value(i.Pointer),
				Message: fmt.Sprintf("the SVG images are larger than %d MiB in total, so %s and those after it are not checked", maxSVGBytes>>20,
					i.Text),
				Help: "make the images smaller",
			})
			return
		}
		dangers, err := inspect.ScanSVG(data)
		if err != nil {
			p.Skipf("cannot read all of %s: %v", i.Text, err)
		}
		for _, d := range dangers {
			p.Report(validate.Finding{
				Place:   inspect.PlaceIn(p, i.File, data, d.From, d.To),
				Message: fmt.Sprintf("%s %s", path.Base(i.File), d.Problem),
				Help:    d.Help,
				Related: []validate.Related{{Place: p.Value(i.Pointer), Message: "plugin.json refers to the image here"}},
			})
		}
	}
}
