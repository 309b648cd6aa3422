package rules

import (
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func licenseMissing(p *validate.Pass) {
	found, misnamed := inspect.FindText(p, licenseNames(p)...)
	if found == nil && (inspect.HasLicenseAbove(p) || misnamed != "" && isRenamed(p)) {
		return
	}
	if other, _ := inspect.FindText(p, bundle.LicenseNames()...); found == nil && other != nil {
		p.Reportf(validate.Place{File: other.File}, "the catalog expects the license in LICENSE, not in %s", path.Base(other.File))
		return
	}
	needText(p, licenseNames(p)...)
}

// licenseNames returns the names that the license of the plugin may have.
func licenseNames(p *validate.Pass) []string {
	if otherLicense.isOff(p) || isRenamed(p) {
		return bundle.LicenseNames()
	}
	return bundle.LicenseNames()[:1]
}

// isRenamed reports whether Slipway's build writes a license of any usual name, in any case, as LICENSE.
func isRenamed(p *validate.Pass) bool { return p.Where == validate.Source && !inspect.HasBuild.Of(p) }
