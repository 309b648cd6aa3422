package rules

import (
	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/validate"
)

func minVersionHealthDiagnostics(p *validate.Pass) {
	const pointer = "/enterpriseFeatures/healthDiagnosticsErrors"
	if p.Doc.Kind(pointer) != "boolean" {
		return
	}
	k := healthOff // as earlier hosts do
	if p.Doc.Bool(pointer) {
		k = ordinary
	}
	needsVersion(p, pointer, semver.New(7, 5, 5, "", ""), k)
}
