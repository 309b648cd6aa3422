package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func keywordsEmpty() validate.Rule {
	return validate.Rule{
		ID:      "keywords-empty",
		Summary: "empty array of keywords, or an empty keyword",
		Why:     "People search for plugins by keyword. An empty array is valid, but makes the plugin hard to find.",
		Help:    "add a few words that people would search for",
		Check: func(p *validate.Pass) {
			const pointer = "/info/keywords"
			items := p.Doc.Items(pointer)
			if p.Doc.Kind(pointer) == "array" && len(items) == 0 {
				p.Report(validate.Finding{Severity: violation.in(p), Place: p.Value(pointer), Message: `"info.keywords" is empty`})
			}
			for _, item := range items {
				if text, isText := p.Doc.Text(item); isText && strings.TrimSpace(text) == "" {
					p.Report(validate.Finding{Severity: emptyKeyword.in(p), Place: p.Value(item), Message: "keyword is empty",
						Help: "write a word, or delete the keyword"})
				}
			}
		},
	}
}
