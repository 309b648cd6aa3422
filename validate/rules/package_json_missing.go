package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func packageJSONMissing() validate.Rule {
	return validate.Rule{
		ID:           "package-json-missing",
		Summary:      "repository without a valid package.json",
		Why:          "The catalog requires package.json in the source of every plugin, and compares its version with that of plugin.json.",
		Help:         `add a package.json with the name and the version of the plugin`,
		OfOutermost:  true,
		OfRepository: true,
		Check: func(p *validate.Pass) {
			r, ok := inspect.RepositoryOf(p)
			if !ok || inspect.PackageJSON.Of(p) != nil {
				return
			}
			if _, err := r.Read("package.json", inspect.MaxScriptBytes); err == nil {
				p.Reportf(r.Place(p, "package.json"), "package.json is not valid JSON")
				return
			}
			p.Reportf(p.Whole(), "the repository has no package.json")
		},
	}
}
