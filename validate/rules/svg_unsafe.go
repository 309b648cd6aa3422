package rules

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func svgUnsafe(p *validate.Pass) { scanImages(p, maxSVGBytes) }

// scanImages reports the dangers in the SVG images, of which it reads at most left bytes: those that
// plugin.json names, and all files of src or a built plugin.
func scanImages(p *validate.Pass, left int64) {
	for _, i := range inspect.Images.Of(p) {
		isSVG := i.Kind == "svg" || i.IsTooLarge && strings.EqualFold(path.Ext(i.File), ".svg")
		if isSVG && !scanImage(p, image{i.File, i.Text, &i}, &left) {
			return
		}
	}
	if p.IsNested || p.Where == validate.Source && path.Base(p.Dir) != "src" { // which builds copy as a whole
		return
	}
	files, err := filesOf(p)
	if err != nil {
		p.Skipf("cannot list the images: %v", err)
	}
	for _, name := range files {
		if strings.EqualFold(path.Ext(name), ".svg") && !scanImage(p, image{path.Join(p.Dir, name), name, nil}, &left) {
			return
		}
	}
}

// maxSVGBytes limits how much of the SVG images of a plugin is read. Reports keep the
// images with findings.
const maxSVGBytes = 256 << 20

type image struct {
	file, text string
	named      *inspect.Image // nil if plugin.json does not name it
}

// scanImage reports the dangers in an image. left is how many bytes may still be read; it returns false if the
// image has more.
func scanImage(p *validate.Pass, i image, left *int64) bool {
	if !inspect.IsFirst(p, "svg-unsafe", i.file) {
		return true
	}
	at, related := validate.Place{File: i.file}, []validate.Related(nil)
	if i.named != nil {
		at = p.Value(i.named.Pointer)
		related = []validate.Related{{Place: at, Message: "plugin.json refers to the image here"}}
	}
	data, err := inspect.ReadFile(p, p.Root, i.file, inspect.MaxImageBytes)
	if _, isTooLarge := errors.AsType[*limit.TooLargeError](err); isTooLarge {
		p.Report(validate.Finding{Place: at, Message: fmt.Sprintf("%s is not checked: %v", i.text, err), Help: "make the image smaller"})
		return true
	}
	if errors.Is(err, tree.ErrIrregular) || errors.Is(err, tree.ErrOutside) {
		return true // the search for plugins reports it
	}
	if err != nil {
		p.Skipf("cannot read %s: %v", i.text, err)
		return true
	}
	if *left -= int64(len(data)); *left < 0 {
		p.Report(validate.Finding{
			Place: at,
			Message: fmt.Sprintf("the SVG images are larger than %d MiB in total, so %s and those after it are not checked", maxSVGBytes>>20,
				i.text),
			Help: "make the images smaller",
		})
		return false
	}
	dangers, err := inspect.ScanSVG(data)
	if err != nil {
		p.Skipf("cannot read all of %s: %v", i.text, err)
	}
	for _, d := range dangers {
		p.Report(validate.Finding{
			Place:   inspect.PlaceIn(p, i.file, data, d.From, d.To),
			Message: fmt.Sprintf("%s %s", path.Base(i.file), d.Problem),
			Help:    d.Help,
			Related: related,
		})
	}
	return true
}
