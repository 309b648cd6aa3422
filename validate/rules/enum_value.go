package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

func enumValue(p *validate.Pass) {
	for _, v := range schema.Violations(p, "enum") {
		if dependencyType.MatchString(v.Pointer) && p.Runs(dependencyUnknownTypeID) {
			continue
		}
		text, _ := p.Doc.Text(v.Pointer)
		f := validate.Finding{Place: v.Place(p), Message: v.Message(p.Doc)}
		if near := nearest.Name(text, v.Choices()); near != "" {
			f.Help = fmt.Sprintf("did you mean %q?", near)
			if strings.EqualFold(near, strings.TrimSpace(text)) {
				f.Fix = writeText(p, v.Pointer, near)
			}
		}
		if strings.HasPrefix(v.Pointer, "/roles/") {
			f.Severity = choiceOfRole.in(p)
		}
		p.Report(f)
	}
}

// writeText is the fix that replaces the value at the pointer with a string.
func writeText(p *validate.Pass, pointer, text string) *validate.Fix {
	return &validate.Fix{Title: fmt.Sprintf("write %q", text), Edits: []validate.Edit{p.Replace(pointer, text)}}
}
