package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func manifestScope(p *validate.Pass) {
	m := inspect.Manifest.Of(p)
	if m.File == "" || m.Err != nil {
		return // manifest-hash reports it
	}
	switch {
	case !m.IsPrivate() && len(m.RootURLs) > 0:
		p.Reportf(m.Key(p, "/rootUrls"), "a signature of the type %q must not have addresses", m.SignatureType)
	case p.Where == validate.Zip && m.IsPrivate() && m.IsLocal():
		p.Report(validate.Finding{
			Place: m.Key(p, "/rootUrls"), Message: "the signature is only for " + strings.Join(m.RootURLs, ", "),
			Help: "sign the plugin for the addresses of its hosts, or let the catalog sign it: at any other address, " + signature.Invalid,
		})
	case m.IsPrivate() && !privateSignature.isOff(p):
		p.Report(validate.Finding{
			Severity: privateSignature.in(p), Place: m.Key(p, "/signatureType"), Message: "the signature is private",
			Help: "let the catalog sign the plugin",
		})
	}
}
