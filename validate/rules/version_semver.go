package rules

import (
	"fmt"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func versionSemver() validate.Rule {
	return validate.Rule{
		ID:      "version-semver",
		Summary: "plugin version that is not a semantic version",
		Why:     "Versions are compared to determine whether an update is available, and only semantic versions can be compared.",
		Help:    "write three numbers separated by dots, such as 1.2.3 or 1.2.3-beta.1; in source, %VERSION% lets the build fill in the version",
		Check: func(p *validate.Pass) {
			const pointer = "/info/version"
			version, _ := p.Doc.Text(pointer)
			if version == "" || strings.Contains(version, bundle.PlaceholderVersion) || leavesPlaceholder(p, version) {
				return // required-field and unresolved-placeholder report it
			}
			if _, err := semver.StrictNewVersion(version); err == nil {
				return
			}
			f := validate.Finding{Severity: violation.in(p), Place: p.Value(pointer), Message: fmt.Sprintf("%q is not a semantic version", version)}
			bare := strings.TrimLeft(strings.TrimSpace(version), "vV=")
			if _, err := semver.StrictNewVersion(bare); err == nil {
				f.Help = fmt.Sprintf("write %q", bare)
				f.Fix = writeText(p, pointer, bare)
			}
			p.Report(f)
		},
	}
}
