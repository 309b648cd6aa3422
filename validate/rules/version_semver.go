package rules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// semanticVersion is the grammar from semver.org.
var semanticVersion = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

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
			if semanticVersion.MatchString(version) {
				return
			}
			f := validate.Finding{Severity: violation.in(p), Place: p.Value(pointer), Message: fmt.Sprintf("%q is not a semantic version", version)}
			bare := strings.TrimLeft(strings.TrimSpace(version), "vV=")
			if semanticVersion.MatchString(bare) {
				f.Help = fmt.Sprintf("write %q", bare)
				f.Fix = writeText(p, pointer, bare)
			}
			p.Report(f)
		},
	}
}
