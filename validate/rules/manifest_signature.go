package rules

import (
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestSignature() validate.Rule {
	return validate.Rule{
		ID:          "manifest-signature",
		Summary:     "invalid signature of the manifest",
		Why:         "Grafana does not load a plugin whose signature is damaged. It is verified as Grafana does, with the key that it publishes.",
		Help:        signature.Invalid + "; sign the plugin again",
		Where:       validate.Dist | validate.Zip,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			if m := inspect.Manifest.Of(p); m.File != "" && m.Manifest.Err != nil {
				p.Reportf(validate.Place{File: m.File}, "the signature is invalid: %v", m.Manifest.Err)
			}
		},
	}
}
