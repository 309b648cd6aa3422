package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func toolkitScript(p *validate.Pass) {
	r, _ := inspect.RepositoryOf(p)
	doc := inspect.PackageJSON.Of(p)
	if doc == nil || !inspect.IsFirst(p, "toolkit-script", doc.File) {
		return
	}
	scripts, _ := doc.Any().(map[string]any)["scripts"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		if text, _ := scripts[name].(string); strings.Contains(text+" ", "grafana-toolkit ") {
			p.Reportf(r.ValuePlace(p, doc, "/scripts/"+bundle.EscapePointer(name)), "the script %q runs grafana-toolkit", name)
			return // the others are those of the same tool
		}
	}
}
