package rules

import (
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func packageVersionMismatch() validate.Rule {
	return validate.Rule{
		ID:       "package-version-mismatch",
		Severity: validate.Error,
		Summary:  "plugin.json and package.json name the same version",
		Why:      "Releases are named after package.json, while the service reads plugin.json. With two versions an update is taken for the version before it, and not installed.",
		Help:     "write %VERSION% into plugin.json, and the build takes the version of package.json",
		Where:    validate.Source,
		Check: func(p *validate.Pass) {
			const pointer = "/info/version"
			version, _ := p.Doc.Text(pointer)
			if placeholder, _ := bundle.FindPlaceholder(version); version == "" || placeholder != "" || isNested(p) {
				return
			}
			dirs, _ := homes(p)
			for _, dir := range dirs {
				file := path.Join(dir, "package.json")
				data, err := readFile(p, dir, file, maxTextBytes)
				if err != nil {
					continue
				}
				doc, _ := bundle.ParseDocument(file, data)
				if doc == nil {
					continue // npm says what is wrong with it
				}
				if other, _ := doc.Text("/version"); other != "" && other != version {
					p.Report(validate.Finding{
						Place:   p.Value(pointer),
						Message: fmt.Sprintf("the version is %q, but package.json says %q", version, other),
						Related: []validate.Related{{Place: sibling{file: file, doc: doc}.in(p, "/version"), Message: "the version of package.json is here"}},
					})
					return
				}
			}
		},
	}
}
