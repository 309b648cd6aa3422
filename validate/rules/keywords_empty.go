package rules

import (
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func keywordsEmpty(p *validate.Pass) {
	const pointer = "/info/keywords"
	items := p.Doc.Items(pointer)
	if p.Doc.Kind(pointer) == "array" && len(items) == 0 {
		violation.reportf(p, p.Value(pointer), `"info.keywords" is empty`)
	}
	for _, item := range items {
		if text, isText := p.Doc.Text(item); isText && strings.TrimSpace(text) == "" {
			p.Report(validate.Finding{Severity: emptyKeyword.in(p), Place: p.Value(item), Message: "keyword is empty",
				Help: "write a word, or delete the keyword"})
		}
	}
}
