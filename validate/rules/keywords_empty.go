package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func keywordsEmpty() validate.Rule {
	return validate.Rule{
		ID:       "keywords-empty",
		Severity: validate.Warning,
		Summary:  "there are keywords, and each is a word",
		Why:      "People find a plugin by its keywords. An empty list is valid, but finds nobody.",
		Help:     "write a few words that people would search for",
		Check: func(p *validate.Pass) {
			const pointer = "/info/keywords"
			items := p.Doc.Items(pointer)
			if p.Doc.Kind(pointer) == "array" && len(items) == 0 {
				p.Reportf(p.Value(pointer), "the list of keywords is empty")
			}
			for _, item := range items {
				if text, isText := p.Doc.Text(item); isText && strings.TrimSpace(text) == "" {
					p.Report(validate.Finding{Place: p.Value(item), Message: "this keyword is empty", Help: "write a word, or delete it"})
				}
			}
		},
	}
}
