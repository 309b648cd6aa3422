package rules

import (
	"errors"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/bundle/signature"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// manifestSignature requires a signature by one of the keys of the run of every zip and every dist that has a
// MANIFEST.json. Without keys, it checks only the form of that signature.
func manifestSignature() validate.Rule {
	return validate.Rule{
		ID:      "manifest-signature",
		Summary: "invalid signature of the manifest",
		Why: "A host that trusts certain keys does not load a plugin whose signature is damaged or made with another key. The one in " +
			"MANIFEST.txt is verified with the key that Grafana publishes, as Grafana does.",
		Help:        "sign the plugin again",
		Where:       validate.Dist | validate.Zip,
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			if m := inspect.Manifest.Of(p); m.IsSigned() && m.Manifest.Err != nil {
				p.Report(validate.Finding{
					Place: validate.Place{File: m.File}, Message: "the signature is invalid: " + m.Manifest.Err.Error(),
					Help: signature.Invalid + "; sign the plugin again",
				})
			}
			const maxBytes = 4 << 10
			manifestFile, signatureFile := path.Join(p.Dir, archive.ManifestFile), path.Join(p.Dir, archive.SignatureFile)
			hasManifest, hasSignature := inspect.Exists(p, manifestFile), inspect.Exists(p, signatureFile)
			isRequired := len(p.Keys) > 0 && (hasManifest || p.Where == validate.Zip)
			if !hasSignature && !isRequired {
				return
			}
			if !hasSignature {
				p.Reportf(p.Whole(), "the plugin is not signed: %s is missing", archive.SignatureFile)
				return
			}
			at := validate.Place{File: signatureFile}
			signed, err := inspect.ReadFile(p, p.Root, signatureFile, maxBytes)
			if err != nil {
				p.Reportf(at, "cannot read the signature: %v", err)
				return
			}
			manifest, err := readManifest(p, manifestFile)
			if errors.Is(err, fs.ErrNotExist) {
				p.Reportf(at, "the manifest that it signs, %s, is missing", archive.ManifestFile)
				return
			}
			if err != nil && manifest == nil {
				p.Reportf(at, "cannot read the manifest that it signs: %v", err)
				return
			}
			if err := archive.CheckSignature(manifest, signed, p.Keys...); err != nil {
				p.Reportf(at, "%v", err)
			}
		},
	}
}
