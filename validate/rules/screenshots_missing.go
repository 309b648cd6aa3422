package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func screenshotsMissing(p *validate.Pass) {
	const pointer = "/info/screenshots"
	if kind := p.Doc.Kind(pointer); kind != "" && kind != "array" {
		return
	}
	items := p.Doc.Items(pointer)
	if len(items) == 0 {
		p.Reportf(p.Opening("/info"), `"info" has no screenshots`)
	}
	for _, item := range items {
		if text, ok := p.Doc.Text(item + "/path"); ok && strings.TrimSpace(text) == "" {
			p.Reportf(p.Value(item+"/path"), "the screenshot has no path")
		}
	}
}
