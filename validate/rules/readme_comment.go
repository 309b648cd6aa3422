package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
)

var markdownComment = regexp.MustCompile(`<!--.*?-->`)

func readmeComment() validate.Rule {
	return validate.Rule{
		ID:          "readme-comment",
		Summary:     "README.md with comments",
		Why:         "The catalog asks for a README.md without comments in HTML, which are often left over from a template.",
		Help:        "delete the comment",
		OfOutermost: true,
		Check: func(p *validate.Pass) {
			reportInReadme(p, markdownComment, "the catalog asks for a README.md without comments: %.80q")
		},
	}
}
