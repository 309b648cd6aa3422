package rules

import (
	"fmt"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
	"github.com/slipway-dev/slipway/validate/shared"
)

func minVersionIAM(p *validate.Pass) {
	if len(p.Doc.Items("/iam/permissions")) > 0 {
		needsVersion(p, "/iam", semver.New(10, 3, 0, "", ""), iamTooEarly)
	}
}

// needsVersion reports that the key at the pointer needs service version least while
// the plugin admits earlier ones.
func needsVersion(p *validate.Pass, pointer string, least *semver.Version, k kind) {
	d := inspect.HostRanges.Of(p)
	if own := inspect.ServiceRange(p); own.Pointer != "" {
		d.DeclaredRange, d.Doc = own, p.Doc
	}
	r := d.Range
	if d.Err != nil || !r.AdmitsBelow(least) {
		return
	}
	lowest, _ := r.Lowest()
	var hosts shared.Set
	for i := range shared.Minors() {
		if v, ok := shared.Lowest(r, i); ok && v.LessThan(least) {
			hosts |= 1 << i
		}
	}
	key := schema.Name(pointer)
	reportAllowed(p, validate.Finding{
		Severity: k.in(p),
		Place:    p.Key(pointer),
		Message:  fmt.Sprintf("%s requires service version %s or later", key, least),
		Help:     fmt.Sprintf("raise the lower bound of %q to %s or later, or delete %s", p.Profile.DependencyKey, least, key),
		Related: []validate.Related{{
			Place:   d.Place(p),
			Message: fmt.Sprintf("the lowest version allowed here is %s", lowest),
		}},
		Hosts: hosts,
	}, lowest.String())
}
