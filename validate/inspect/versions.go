package inspect

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
)

// RangePointer returns the pointer of the range of service versions in plugin.json.
func RangePointer(p *validate.Pass) string {
	return "/dependencies/" + p.Profile.DependencyKey
}

// ServiceRange parses the range of service versions. ok is false if plugin.json has
// no such string; err is the syntax error if the string is not a range.
func ServiceRange(p *validate.Pass) (r ranges.Range, err *ranges.Error, ok bool) {
	text, ok := p.Doc.Text(RangePointer(p))
	if !ok {
		return ranges.Range{}, nil, false
	}
	r, parseError := ranges.Parse(p.Range(text))
	errors.As(parseError, &err)
	return r, err, true
}

// DeclaredRange is a range of versions in plugin.json.
type DeclaredRange struct {
	Pointer, Text string
	IsOther       bool // of a profile that is not that of the run
	Range         ranges.Range
	Err           *ranges.Error // nil if the text is a range
}

// DeclaredRanges returns the ranges of all profiles.
func DeclaredRanges(p *validate.Pass) (all []DeclaredRange) {
	for _, profile := range bundle.Profiles() {
		d := DeclaredRange{Pointer: "/dependencies/" + profile.DependencyKey, IsOther: profile.Name != p.Profile.Name}
		var ok bool
		if d.Text, ok = p.Doc.Text(d.Pointer); !ok {
			continue
		}
		var err error
		d.Range, err = ranges.Parse(p.Range(d.Text))
		errors.As(err, &d.Err)
		all = append(all, d)
	}
	return all
}

// HostRange returns the range of versions of existing hosts, which plugin.json may have beside its own,
// and its pointer. ok is false if it has none that can be read.
func HostRange(p *validate.Pass) (pointer string, r ranges.Range, ok bool) {
	pointer = "/dependencies/" + bundle.Published().DependencyKey
	if !p.Doc.Has(pointer) {
		pointer = RangePointer(p)
	}
	text, _ := p.Doc.Text(pointer)
	r, err := ranges.Parse(p.Range(text))
	return pointer, r, err == nil
}

// RangeWidth classifies how many versions a range admits.
type RangeWidth int

// The widths of a range.
const (
	ManyVersions RangeWidth = iota
	OneVersion
	OnePatchLevel
)

// The forms of a condition that admit one version, or only the patches of one.
var (
	exactVersion = regexp.MustCompile(`^[=v\s]*\d+\.\d+\.\d+([-+][\w.+-]*)?$`)
	patchesOf    = regexp.MustCompile(`^([=v\s]*\d+\.\d+(\.[xX*])?|~>?[v\s]*\d+\.\d+(\.[\dxX*]+)?([-+][\w.+-]*)?|\^[v\s]*0\.\d+.*)$`)
	fromTo       = regexp.MustCompile(`^>=\s*v?(\d+)\.(\d+)(?:\.\d+)?(?:-[\w.-]+)?\s+<\s*v?(\d+)\.(\d+)(?:\.(\d+))?(?:-[\w.-]+)?$`)
)

// ServiceRangeWidth returns how many versions the range of the plugin admits.
// Alternatives count as ManyVersions, because their author chose them deliberately.
func ServiceRangeWidth(p *validate.Pass) RangeWidth {
	r, err, ok := ServiceRange(p)
	if !ok || err != nil || !r.IsSatisfiable() {
		return ManyVersions
	}
	text, _ := p.Doc.Text(RangePointer(p))
	text = strings.TrimSpace(text)
	switch {
	case exactVersion.MatchString(text):
		return OneVersion
	case patchesOf.MatchString(text), isPatchLevel(fromTo.FindStringSubmatch(text)):
		return OnePatchLevel
	}
	return ManyVersions
}

// isPatchLevel reports whether a match of fromTo admits only the patches of one minor
// version: both bounds lie in it, or the upper one is the next minor version.
func isPatchLevel(bounds []string) bool {
	if bounds == nil || bounds[1] != bounds[3] {
		return false
	}
	number := func(i int) int { n, _ := strconv.Atoi(bounds[i]); return n }
	return number(2) == number(4) || number(4) == number(2)+1 && number(5) == 0
}
