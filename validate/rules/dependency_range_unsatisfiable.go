package rules

import (
	"slices"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

func dependencyRangeUnsatisfiable(p *validate.Pass) {
	for _, d := range inspect.DeclaredRanges.Of(p) {
		if d.Err == nil && !d.Range.IsSatisfiable() {
			kindOfRange(p, d).reportf(p, p.Value(d.Pointer), "no version satisfies %q", d.Text)
		}
	}
}

// kindOfRange returns the kind of a finding about a range.
func kindOfRange(p *validate.Pass, d inspect.DeclaredRange) kind {
	isRefused := slices.ContainsFunc(schema.Violations(p), func(v schema.Violation) bool { return v.Pointer == d.Pointer })
	switch {
	case d.IsOther:
		return rangeOfOther
	case isRefused:
		return ordinary
	}
	if _, err := semver.NewConstraint(d.Text); err != nil { // the parser of the catalog
		return unparsedRange
	}
	return acceptedRange
}
