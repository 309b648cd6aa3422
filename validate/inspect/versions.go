package inspect

import (
	"errors"
	"path"

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

// ServiceRange returns the range of service versions, which is the zero value if plugin.json
// has no such string.
func ServiceRange(p *validate.Pass) DeclaredRange {
	for _, d := range DeclaredRanges.Of(p) {
		if !d.IsOther {
			return d
		}
	}
	return DeclaredRange{}
}

// HostRange is the range of versions of existing hosts.
type HostRange struct {
	DeclaredRange
	Doc      *bundle.Document // which declares it
	Admitted shared.Set       // the versions of the table that it admits
}

// Place returns the position of the range, which need not be in the plugin's own plugin.json.
func (r HostRange) Place(p *validate.Pass) validate.Place {
	if r.Doc.File != p.File {
		p.Source(r.Doc.File, r.Doc.Data)
	}
	return ValueIn(p, r.Doc, r.Pointer)
}

// HostRanges holds the range of the plugin for existing hosts. Err is set if there is none that can be read.
var HostRanges = validate.NewFact(func(p *validate.Pass) HostRange { return hostRangeIn(p, p.Dir) })

var hostRanges = validate.NewFact(func(*validate.Pass) map[string]HostRange { return map[string]HostRange{} })

// hostRangeIn returns the range that the nearest plugin.json, in dir or above in the outermost plugin, declares for
// existing hosts, or else its only range: hosts get a nested plugin only with those around it.
func hostRangeIn(p *validate.Pass, dir string) HostRange {
	known := hostRanges.Of(p)
	r, ok := known[dir]
	if ok {
		return r
	}
	doc := p.Doc
	if dir != p.Dir {
		doc = Document(p, p.Root, path.Join(dir, bundle.MetadataFile))
	}
	pointer := "/dependencies/" + bundle.Published().DependencyKey
	if doc == nil || !doc.Has(pointer) {
		pointer = RangePointer(p)
	}
	if isDeclared := doc != nil && doc.Has(pointer); !isDeclared && dir != p.Root {
		r = hostRangeIn(p, path.Dir(dir))
	} else {
		if doc == nil {
			doc = p.Doc
		}
		text, _ := doc.Text(pointer)
		d := parseRange(p, pointer, text) // the run may have a range in its place
		r = HostRange{d, doc, shared.Admitted(d.Range)}
	}
	known[dir] = r
	return r
}
