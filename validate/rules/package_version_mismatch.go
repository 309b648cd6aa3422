package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func packageVersionMismatch() validate.Rule {
	return validate.Rule{
		ID:      "package-version-mismatch",
		Summary: "version mismatch between plugin.json and package.json",
		Why: "Releases are named after the version in package.json, but the host reads plugin.json. If the versions differ, an " +
			"update can be mistaken for the version that is already installed. In the grafana profile, the finding is a warning. " +
			"The preset catalog requires the version in package.json.",
		Help:        "write %VERSION% in plugin.json, so that the build copies the version from package.json",
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			const pointer = "/info/version"
			version, _ := p.Doc.Text(pointer)
			if version == "" {
				return
			}
			if !packageVersion.isOff(p) {
				checkPackageVersion(p, version)
				return
			}
			if placeholder, _ := bundle.FindPlaceholder(version); placeholder != "" || p.Where != validate.Source {
				return
			}
			dirs, _ := inspect.Homes(p)
			for _, dir := range dirs {
				doc := inspect.Document(p, dir, path.Join(dir, "package.json"))
				if doc == nil {
					continue // npm reports what is wrong with it
				}
				if other, _ := doc.Text("/version"); other != "" && other != version {
					p.Report(validate.Finding{
						Severity: otherVersion.in(p),
						Place:    p.Value(pointer),
						Message:  fmt.Sprintf("version is %q, but package.json has %q", version, other),
						Related:  []validate.Related{{Place: inspect.ValueIn(p, doc, "/version"), Message: "the version in package.json"}},
					})
					return
				}
			}
		},
	}
}

// checkPackageVersion requires the version of the plugin in package.json, as the catalog does.
func checkPackageVersion(p *validate.Pass, version string) {
	r, ok := inspect.RepositoryOf(p)
	if !ok {
		return
	}
	doc := r.PackageJSON()
	if doc == nil {
		return // package-json-missing reports it
	}
	other, _ := doc.Text("/version")
	placeholder, _ := bundle.FindPlaceholder(version)
	switch {
	case other == "":
		p.Report(validate.Finding{Place: r.Place(p, "package.json"), Message: "package.json has no version", Help: `add "version"`})
	case placeholder == "" && other != version:
		p.Report(validate.Finding{
			Place:   p.Value("/info/version"),
			Message: fmt.Sprintf("version is %q, but package.json has %q", version, other),
			Related: []validate.Related{{Place: r.ValuePlace(p, doc, "/version"), Message: "the version in package.json"}},
		})
	}
}
