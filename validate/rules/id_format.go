package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func idFormat() validate.Rule {
	return validate.Rule{
		ID:       "id-format",
		Severity: validate.Warning,
		Summary:  "the id is made of small letters, digits and hyphens, such as acme-clock-panel",
		Why:      "The id is part of addresses, of folder names and of the names of actions. Other characters must be escaped there, and two ids that differ only in case share a folder on some systems.",
		Help:     "write it as <organisation>-<name>-<type>, in small letters; once a plugin is published its id must stay",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			if id == "" || isPartOfService(p) {
				return
			}
			at := p.Value("/id")
			for i, r := range id {
				if !isIDLetter(r) {
					p.Reportf(p.Within("/id", i, i+len(string(r))), "the id %q holds %q: it may have small letters, digits and hyphens", id, r)
					return
				}
			}
			parts := strings.Split(id, "-")
			for _, part := range parts {
				if part == "" {
					p.Reportf(at, "the id %q has a hyphen with nothing before or after it", id)
					return
				}
			}
			if len(parts) < 2 {
				p.Report(validate.Finding{Place: at, Message: fmt.Sprintf("the id %q does not name the organisation", id)})
			}
		},
	}
}

func isIDLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-'
}
