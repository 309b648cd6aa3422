package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/shared"
)

// oldRuntime matches what the JSX runtime of React 17 and 18 does when it is loaded. Minifiers keep the
// names of properties.
var oldRuntime = regexp.MustCompile(`\.__SECRET_INTERNALS_DO_NOT_USE_OR_YOU_WILL_BE_FIRED\.ReactCurrentOwner\s*[,;]` +
	`[^{}]{0,120}=\s*\{\s*key:\s*(?:!0|true),\s*ref:`)

func reactRuntimeBundled(p *validate.Pass) {
	m := inspect.Module.Of(p)
	at := oldRuntime.FindIndex(m.Data)
	d, ok := declaredIn(p, inspect.HostRanges.Of(p))
	if at == nil || !ok {
		return
	}
	if with := d.withReact19(); with != 0 {
		reportAllowed(p, validate.Finding{
			Place:   inspect.PlaceIn(p, m.File, m.Data, at[0], at[1]),
			Message: "module.js contains the JSX runtime of React 18",
			Hosts:   with,
		}, versions(with)+", which has React 19")
	}
}

// withReact19 returns the versions in the range that have React 19.
func (d declared) withReact19() (with shared.Set) {
	for i := range shared.Minors() {
		if d.Admitted.Has(i) && shared.React(i) >= 19 {
			with |= 1 << i
		}
	}
	return with
}
