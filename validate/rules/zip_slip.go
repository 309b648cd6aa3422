package rules

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipSlip(p *validate.Pass) {
	var problems []string
	for _, e := range p.Archive.Entries {
		if problem := zipNameProblem(e.Name); problem != "" {
			problems = append(problems, fmt.Sprintf("zip entry %.200q %s", e.Name, problem))
		}
	}
	reportZip(p, problems)
}

var windowsDrive = regexp.MustCompile(`^[a-zA-Z]:`)

// zipNameProblem returns what is wrong with the name of an entry, or "". zip-backslash
// reports backslashes.
func zipNameProblem(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	switch {
	case strings.Trim(name, "/") == "":
		return "has no name"
	case strings.HasPrefix(name, "/"):
		return "begins with a slash"
	case windowsDrive.MatchString(name):
		return "begins with a Windows drive letter"
	case slices.Contains(parts, ".."):
		return `contains ".."`
	case slices.Contains(parts, "."), slices.Contains(parts, ""):
		return `contains an empty element or "."`
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return "contains a control character"
	}
	return ""
}
