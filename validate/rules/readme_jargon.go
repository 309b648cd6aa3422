package rules

import (
	"regexp"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// jargon matches the words that the catalog looks for, wherever they occur.
var jargon = regexp.MustCompile(`yarn|nodejs`)

func readmeJargon(p *validate.Pass) {
	reportInReadme(p, jargon, "%q is for developers of the plugin, not for its users")
}

// reportInReadme reports the first match of each text in README.md.
func reportInReadme(p *validate.Pass, pattern *regexp.Regexp, format string) {
	found, _ := inspect.FindText(p, "README.md")
	if found == nil {
		return // readme-missing reports it
	}
	seen := map[string]bool{}
	for _, m := range pattern.FindAllIndex(found.Data, maxLeftovers) {
		text := string(found.Data[m[0]:m[1]])
		if !seen[text] {
			seen[text] = true
			p.Reportf(inspect.PlaceIn(p, found.File, found.Data, m[0], m[1]), format, text)
		}
	}
}
