package rules

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func idFormat(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	if id == "" || inspect.IsBuiltIn(p) {
		return
	}
	at := p.Value("/id")
	if err := bundle.CheckID(id); err != nil {
		unmountableID.reportf(p, at, "%v; no host mounts the plugin", err)
		return
	}
	for i, r := range id {
		if !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-') {
			p.Reportf(p.Within("/id", i, i+len(string(r))), "id %q contains %q; only lowercase letters, digits and hyphens are allowed", id, r)
			return
		}
	}
	parts := strings.Split(id, "-")
	if slices.Contains(parts, "") {
		p.Reportf(at, "id %q has a hyphen with nothing before or after it", id)
		return
	}
	most := p.Profile.MaxIDParts
	switch {
	case len(parts) == 2:
		shortID.reportf(p, at, "id %q has two parts separated by hyphens; the catalog asks for three", id)
	case len(parts) < 2:
		p.Reportf(at, "id %q has no organization prefix", id)
	case most > 0 && len(parts) > most:
		longID.reportf(p, at, "id %q has %d parts separated by hyphens; Grafana's published schema allows at most %d", id, len(parts), most)
	}
}
