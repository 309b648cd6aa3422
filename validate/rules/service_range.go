package rules

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/ranges"
)

// rangePointer is where the plugin names the versions of the service.
func rangePointer(p *validate.Pass) string {
	return "/dependencies/" + p.Profile.DependencyKey
}

// serviceRange reads the range of service versions. ok is false where there is
// no text to read; err is what is wrong with the text.
func serviceRange(p *validate.Pass) (r ranges.Range, err *ranges.Error, ok bool) {
	text, ok := p.Doc.Text(rangePointer(p))
	if !ok {
		return ranges.Range{}, nil, false
	}
	r, parseError := ranges.Parse(text)
	errors.As(parseError, &err)
	return r, err, true
}

// needsVersion reports that the property at the pointer came with version least
// and that the plugin also admits services before it. The severity "" is the rule's.
func needsVersion(p *validate.Pass, pointer string, least ranges.Version, severity validate.Severity) {
	r, err, ok := serviceRange(p)
	if !ok || err != nil || !r.AdmitsBelow(least) {
		return
	}
	lowest, _ := r.Lowest()
	p.Report(validate.Finding{
		Severity: severity,
		Place:    p.Key(pointer),
		Message:  fmt.Sprintf("%q needs service version %s or later, but the plugin also admits %s", dotted(pointer), least, lowest),
		Help:     fmt.Sprintf("raise the lower bound of %q to %s or later, or delete %q", p.Profile.DependencyKey, least, dotted(pointer)),
		Related: []validate.Related{{
			Place:   p.Value(rangePointer(p)),
			Message: fmt.Sprintf("the lowest version that this range admits is %s", lowest),
		}},
	})
}

// rangeShape says how much a range admits.
type rangeShape int

const (
	manyVersions rangeShape = iota
	oneVersion
	onePatchLevel
)

// The forms of a condition that admit one version or the patches of one.
var (
	exactVersion = regexp.MustCompile(`^[=v\s]*\d+\.\d+\.\d+([-+][\w.+-]*)?$`)
	patchesOf    = regexp.MustCompile(`^([=v\s]*\d+\.\d+(\.[xX*])?|~>?[v\s]*\d+\.\d+(\.[\dxX*]+)?([-+][\w.+-]*)?|\^[v\s]*0\.\d+.*)$`)
	fromTo       = regexp.MustCompile(`^>=\s*v?(\d+)\.(\d+)(?:\.\d+)?(?:-[\w.-]+)?\s+<\s*v?(\d+)\.(\d+)(?:\.(\d+))?(?:-[\w.-]+)?$`)
)

// shapeOfRange says how much the range of the plugin admits. Alternatives count as
// many: who writes them has thought about it.
func shapeOfRange(p *validate.Pass) rangeShape {
	r, err, ok := serviceRange(p)
	if !ok || err != nil || !r.IsSatisfiable() {
		return manyVersions
	}
	text, _ := p.Doc.Text(rangePointer(p))
	text = strings.TrimSpace(text)
	switch m := fromTo.FindStringSubmatch(text); {
	case exactVersion.MatchString(text):
		return oneVersion
	case patchesOf.MatchString(text):
		return onePatchLevel
	case m != nil && m[1] == m[3] && (m[2] == m[4] || number(m[4]) == number(m[2])+1 && number(m[5]) == 0):
		return onePatchLevel
	}
	return manyVersions
}
