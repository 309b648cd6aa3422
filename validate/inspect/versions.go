package inspect

import (
	"errors"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/shared"
)

// RangePointer returns the pointer of the range of service versions in plugin.json.
func RangePointer(p *validate.Pass) string {
	return "/dependencies/" + p.Profile.DependencyKey
}

// DeclaredRange is a range of versions in plugin.json.
type DeclaredRange struct {
	Pointer, Text string
	IsOther       bool // of a profile that is not that of the run
	Range         ranges.Range
	Err           *ranges.Error // nil if the text is a range
}

// DeclaredRanges holds the ranges of all profiles.
var DeclaredRanges = validate.NewFact(func(p *validate.Pass) (all []DeclaredRange) {
	for _, profile := range bundle.Profiles() {
		pointer := "/dependencies/" + profile.DependencyKey
		if text, ok := p.Doc.Text(pointer); ok {
			d := parseRange(p, pointer, text)
			d.IsOther = profile.Name != p.Profile.Name
			all = append(all, d)
		}
	}
	return all
})

func parseRange(p *validate.Pass, pointer, text string) DeclaredRange {
	d := DeclaredRange{Pointer: pointer, Text: text}
	var err error
	d.Range, err = ranges.Parse(p.Range(text))
	errors.As(err, &d.Err)
	return d
}

// rangeAt returns the range at a pointer.
func rangeAt(p *validate.Pass, pointer string) (DeclaredRange, bool) {
	all := DeclaredRanges.Of(p)
	i := slices.IndexFunc(all, func(d DeclaredRange) bool { return d.Pointer == pointer })
	if i < 0 {
		return DeclaredRange{}, false
	}
	return all[i], true
}

// ServiceRange returns the range of service versions. ok is false if plugin.json has
// no such string; err is the syntax error if the string is not a range.
func ServiceRange(p *validate.Pass) (r ranges.Range, err *ranges.Error, ok bool) {
	d, ok := rangeAt(p, RangePointer(p))
	return d.Range, d.Err, ok
}

// HostRange is the range of versions of existing hosts.
type HostRange struct {
	DeclaredRange
	Admitted shared.Set // the versions of the table that it admits
}

// HostRanges holds the range that plugin.json declares for existing hosts, or else its only range. Err is set if
// there is none that can be read.
var HostRanges = validate.NewFact(func(p *validate.Pass) HostRange {
	pointer := "/dependencies/" + bundle.Published().DependencyKey
	if !p.Doc.Has(pointer) {
		pointer = RangePointer(p)
	}
	d, ok := rangeAt(p, pointer)
	if !ok { // the run may have a range in its place
		d = parseRange(p, pointer, "")
	}
	return HostRange{d, shared.Admitted(d.Range)}
})

// ServiceRangeWidth returns how many versions the range of the plugin admits, which is Many if it has none.
func ServiceRangeWidth(p *validate.Pass) ranges.Width {
	r, err, ok := ServiceRange(p)
	if !ok || err != nil {
		return ranges.Many
	}
	return r.Width()
}
