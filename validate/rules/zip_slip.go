package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func zipSlip() validate.Rule {
	return validate.Rule{
		ID:        "zip-slip",
		Severity:  validate.Error,
		Summary:   "no entry of a zip leads out of it",
		Why:       "A name such as ../../x makes a careless program write outside of the folder it unpacks into. Careful ones refuse the whole zip.",
		Help:      "pack again with names below the folder of the plugin",
		Where:     validate.Zip,
		OfArchive: true,
		Check: func(p *validate.Pass) {
			var faults []string
			for _, e := range p.Archive.Entries {
				if fault := zipNameFault(e.Name); fault != "" {
					faults = append(faults, fmt.Sprintf("the entry %.200q of the zip %s", e.Name, fault))
				}
			}
			reportZip(p, faults)
		},
	}
}

// zipNameFault says what is wrong with the name of an entry, "" if nothing is. That
// of a backslash is left to zip-backslash.
func zipNameFault(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	drive, _, hasColon := strings.Cut(name, ":")
	parts := strings.Split(strings.TrimSuffix(name, "/"), "/")
	switch {
	case strings.Trim(name, "/") == "":
		return "has no name"
	case strings.HasPrefix(name, "/"):
		return "begins with a slash"
	case hasColon && len(drive) == 1 && isLetters(drive):
		return "begins with a drive of Windows"
	case slices.Contains(parts, ".."):
		return "leads upwards with \"..\""
	case slices.Contains(parts, "."), slices.Contains(parts, ""):
		return "has an empty part or \".\" in its name"
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7F }):
		return "has a control character in its name"
	}
	return ""
}
