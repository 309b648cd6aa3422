package rules

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestScope() validate.Rule {
	return validate.Rule{
		ID:      "manifest-scope",
		Summary: "signature for certain hosts only",
		Why: "A private signature is valid only in hosts with the addresses in \"rootUrls\"; any other signature must not have them. The " +
			"preset catalog also reports private signatures, as warnings, because the catalog distributes plugins to everyone.",
		Help:  "sign the plugin again, without addresses",
		Where: validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			m := inspect.Manifest.Of(p)
			if path.Base(m.File) != "MANIFEST.txt" || m.Err != nil {
				return // manifest-hash reports it
			}
			isPrivate := strings.HasPrefix(m.SignatureType, "private") // or private-glob
			switch {
			case !isPrivate && len(m.RootURLs) > 0:
				p.Reportf(m.Key(p, "/rootUrls"), "a signature of the type %q must not have addresses", m.SignatureType)
			case isPrivate && !privateSignature.isOff(p):
				p.Report(validate.Finding{
					Severity: privateSignature.in(p), Place: m.Key(p, "/signatureType"), Message: "the signature is private",
					Help: "let the catalog sign the plugin",
				})
			}
		},
	}
}
