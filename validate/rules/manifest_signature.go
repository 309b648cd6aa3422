package rules

import (
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestSignature(p *validate.Pass) {
	if m := inspect.Manifest.Of(p); m.File != "" && m.Manifest.Err != nil {
		p.Reportf(validate.Place{File: m.File}, "the signature is invalid: %v", m.Manifest.Err)
	}
}
