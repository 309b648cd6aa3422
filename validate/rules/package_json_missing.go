package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func packageJSONMissing(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok || inspect.PackageJSON.Of(p) != nil {
		return
	}
	if _, err := r.Read("package.json", inspect.MaxScriptBytes); err == nil {
		p.Reportf(r.Place(p, "package.json"), "package.json is not valid JSON")
		return
	}
	p.Reportf(p.Whole(), "the repository has no package.json")
}
