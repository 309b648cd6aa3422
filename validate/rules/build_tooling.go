package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func buildTooling(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok {
		return
	}
	contains := func(text string, names ...string) bool {
		for _, name := range names {
			if data, err := r.Read(name, inspect.MaxScriptBytes); err == nil {
				return strings.Contains(string(data), text)
			}
		}
		return false
	}
	const config = ".config/webpack/webpack.config.ts"
	if !contains("@grafana/create-plugin", config) {
		p.Reportf(p.Whole(), "the repository has no %s of create-plugin", config)
	}
	if contains("", "go.mod") && !contains("grafana-plugin-sdk-go/build", "Magefile.go", "magefile.go") {
		p.Reportf(p.Whole(), "the repository has no Magefile.go that imports grafana-plugin-sdk-go/build")
	}
}
