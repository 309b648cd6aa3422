package rules

import (
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func packageVersionMismatch(p *validate.Pass) {
	version, _ := p.Doc.Text("/info/version")
	r, ok := inspect.RepositoryOf(p)
	if !ok || version == "" {
		return
	}
	doc := inspect.PackageJSON.Of(p)
	if doc == nil {
		return // package-json-missing reports it, and version-semver if plugin.json needs it
	}
	other, _ := doc.Text("/version")
	placeholder, _ := bundle.FindPlaceholder(version)
	switch {
	case other == "":
		p.Report(validate.Finding{Severity: packageVersion.in(p), Place: r.Place(p, "package.json"),
			Message: "package.json has no version", Help: `add "version"`})
	case placeholder == "" && other != version:
		p.Report(validate.Finding{
			Severity: otherVersion.in(p),
			Place:    p.Value("/info/version"),
			Message:  fmt.Sprintf("version is %q, but package.json has %q", version, other),
			Related:  []validate.Related{{Place: r.ValuePlace(p, doc, "/version"), Message: "the version in package.json"}},
		})
	}
}
