package rules

import (
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// link matches a link or image in Markdown or HTML; one of its groups is the target.
var link = regexp.MustCompile(`\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+["'(][^\n]*?)?\)` +
	`|(?m:^ {0,3}\[[^\]\n]+\]:\s*<?([^\s<>]+)>?)` +
	`|(?i:<(?:a|img)\b[^>]*?\b(?:href|src)\s*=\s*["']?([^"'\s>]+))`)

const maxLinksReported = 100

func readmeRelativeLink(p *validate.Pass) {
	if inspect.IsPartOfService(p) {
		return
	}
	readme, _ := inspect.FindText(p, "README.md")
	if readme == nil || readme.Err != nil {
		return // readme-missing reports it
	}
	reported := 0
	for _, m := range link.FindAllSubmatchIndex(inspect.WithoutCode(readme.Data), -1) {
		from, to := target(m)
		address := string(readme.Data[from:to])
		if !isRelative(address) {
			continue
		}
		if reported++; reported > maxLinksReported {
			p.Skipf("README.md has more than %d relative links", maxLinksReported)
			return
		}
		p.Reportf(inspect.PlaceIn(p, readme.File, readme.Data, from, to), "link to %.200q is relative", address)
	}
}

func target(match []int) (from, to int) {
	for i := 2; i < len(match); i += 2 {
		if match[i] >= 0 {
			return match[i], match[i+1]
		}
	}
	return match[0], match[1]
}

var scheme = regexp.MustCompile(`^[a-zA-Z+.-]*[a-zA-Z][a-zA-Z+.-]*:`)

// isRelative reports whether a URL is relative to the page it is on. A fragment of the
// same page does not count.
func isRelative(address string) bool {
	return address != "" && !strings.HasPrefix(address, "#") && !strings.HasPrefix(address, "//") && !scheme.MatchString(address)
}
