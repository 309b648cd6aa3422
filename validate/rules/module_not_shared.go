package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle/ranges"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func moduleNotShared(p *validate.Pass) {
	if p.Where == validate.Source {
		inspect.EachPartOfHost(p, func(module string, r inspect.HostRange, at func() validate.Place) {
			if d, ok := declaredIn(p, r); ok {
				d.notShared(p, module, at)
			}
		})
		return
	}
	d, ok := declaredIn(p, inspect.HostRanges.Of(p))
	if !ok {
		return
	}
	m := inspect.Module.Of(p)
	for _, requested := range inspect.Requested(m.Data) {
		d.notShared(p, requested.Module, func() validate.Place { return inspect.PlaceIn(p, m.File, m.Data, requested.From, requested.To) })
	}
}

// notShared reports a module that some versions in the range do not share.
func (d declared) notShared(p *validate.Pass, module string, at func() validate.Place) {
	providers, text, isKnown := shared.Providers(module)
	if !isKnown {
		return
	}
	r, _ := ranges.Parse(p.Range(d.Text))
	var without []string
	var hosts shared.Set
	for i := range shared.Minors() {
		if v, ok := shared.Lowest(r, i); ok && !providers.Admits(v) {
			without, hosts = append(without, v.String()), hosts|1<<i
		}
	}
	if hosts == 0 {
		return
	}
	const most = 4
	allowed := strings.Join(without, ", ")
	if len(without) > most {
		allowed = versions(hosts)
	}
	help := ""
	if inspect.IsPartOfHost(module) {
		help = "port the plugin to modules that these hosts share, or change the range"
	}
	reportAllowed(p, validate.Finding{
		Place: at(), Help: help, Hosts: hosts,
		Message: fmt.Sprintf("%s is shared by hosts %s", module, text),
		Related: []validate.Related{{Place: d.Place(p), Message: "the range is here"}},
	}, allowed)
}
