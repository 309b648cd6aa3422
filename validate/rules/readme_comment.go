package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
)

var markdownComment = regexp.MustCompile(`<!--.*?-->`)

func readmeComment(p *validate.Pass) {
	reportInReadme(p, markdownComment, "the catalog asks for a README.md without comments: %.80q")
}
