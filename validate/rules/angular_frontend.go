package rules

import (
	"bytes"
	"fmt"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

func angularFrontend(p *validate.Pass) {
	var refusing shared.Set
	if r := inspect.HostRanges.Of(p); r.Err == nil {
		refusing = r.Admitted & hosts(">=11.0.0")
		if refusing == 0 && unrefusedAngular.isOff(p) {
			return
		}
	}
	m := inspect.Module.Of(p)
	for _, sign := range []string{ // as existing hosts look for them
		"PanelCtrl", "ConfigCtrl", "app/plugins/sdk", "angular.isNumber(", "editor.html", "ctrl.annotation", "getLegacyAngularInjector",
		`"QueryCtrl"`, `'QueryCtrl'`,
	} {
		if at := bytes.Index(m.Data, []byte(sign)); at >= 0 {
			p.Report(validate.Finding{
				Place:   inspect.PlaceIn(p, m.File, m.Data, at, at+len(sign)),
				Message: fmt.Sprintf("module.js contains %q, which hosts take as a sign of Angular", sign),
				Hosts:   refusing,
			})
			return
		}
	}
}
