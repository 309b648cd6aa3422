package rules

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

// link is a link or picture of Markdown or HTML; one of the groups holds its target.
var link = regexp.MustCompile(`\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()<>]*)*)>?(?:\s+["'(][^\n]*?)?\)` +
	`|(?m:^ {0,3}\[[^\]\n]+\]:\s*<?([^\s<>]+)>?)` +
	`|(?i:<(?:a|img)\b[^>]*?\b(?:href|src)\s*=\s*["']?([^"'\s>]+))`)

const maxLinksReported = 100

func readmeRelativeLink() validate.Rule {
	return validate.Rule{
		ID:       "readme-relative-link",
		Severity: validate.Warning,
		Summary:  "links and pictures in README.md have full addresses",
		Why:      "A catalogue shows README.md without the files beside it. A relative link leads nowhere there, and a picture is missing.",
		Help:     "write the full address, beginning with https://",
		Check: func(p *validate.Pass) {
			if isNested(p) || isPartOfService(p) {
				return
			}
			readme, _ := findText(p, "README.md")
			if readme == nil || readme.err != nil {
				return // readme-missing says why
			}
			data := bytes.TrimPrefix(readme.data, []byte(byteOrderMark))
			reported := 0
			for _, m := range link.FindAllSubmatchIndex(withoutCode(data), -1) {
				from, to := target(m)
				address := string(data[from:to])
				if !isRelative(address) {
					continue
				}
				if reported++; reported > maxLinksReported {
					p.Skipf("the links after the first %d relative ones", maxLinksReported)
					return
				}
				p.Report(validate.Finding{
					Place:   placeIn(p, readme.file, data, from, to),
					Message: fmt.Sprintf("the link to %q is relative", shorten(address)),
				})
			}
		},
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

// isRelative says whether an address needs to know where it stands. A part of the
// same page does not.
func isRelative(address string) bool {
	scheme, _, hasScheme := strings.Cut(address, ":")
	switch {
	case address == "", strings.HasPrefix(address, "#"), strings.HasPrefix(address, "//"):
		return false
	case hasScheme && isLetters(strings.NewReplacer("+", "", "-", "", ".", "").Replace(scheme)):
		return false
	}
	return true
}
