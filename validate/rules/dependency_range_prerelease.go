package rules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyRangePrerelease(p *validate.Pass) {
	d := inspect.ServiceRange(p)
	if d.Pointer == "" || d.Err != nil {
		return
	}
	alternatives := strings.Split(d.Text, "||")
	lacking := 0
	for i, text := range alternatives {
		r, err := ranges.Parse(text)
		if lowest, ok := r.Lowest(); err == nil && ok && lowest.Prerelease() == "" && lowest.String() != "0.0.0" {
			lacking++
			alternatives[i] = lowerBound.ReplaceAllString(text, "$1-0$2")
		}
	}
	if lacking == 0 {
		return
	}
	f := validate.Finding{Place: p.Value(d.Pointer), Message: fmt.Sprintf("%q does not admit prereleases of its first version", d.Text)}
	if fixed := strings.Join(alternatives, "||"); fixed != d.Text {
		f.Help = fmt.Sprintf("write %q if the plugin is to run in builds of a hosted service", fixed)
		f.Fix = &validate.Fix{Title: fmt.Sprintf("change the range to %q", fixed), Edits: []validate.Edit{p.Replace(d.Pointer, fixed)}}
	}
	p.Report(f)
}

// lowerBound matches a version with all three numbers and nothing after it, in >=1.2.3, ^1.2.3 and ~1.2.3.
var lowerBound = regexp.MustCompile(`((?:>=|\^|~)\s*v?\d+\.\d+\.\d+)(\s|$)`)
