package rules

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

// leftover matches text that a scaffold wrote for the author to replace.
var leftover = regexp.MustCompile(`(?im)^#+ *Grafana (?:Panel|Data Source(?: Backend)?|App|Scenes App) Plugin Template\b` +
	`|<!-- *This README file is going to be the one displayed on` +
	`|<%= *\w[\w. ]*%>` +
	`|\[\[ *(?:json )?\.\w+ *\]\]` +
	`|<(?:your|my)[ -]?(?:org(?:ani[sz]ation)?|name|plugin(?: ?name)?|github[ -]?user(?:name)?)>` +
	`|https?://github\.com/(?:your-?org|your-?name|my-?org)\b[^\s"')]*`)

func scaffoldText(p *validate.Pass) {
	for _, pointer := range suspects(p.Doc) {
		text, _ := p.Doc.Text(pointer)
		if m := leftover.FindStringIndex(text); m != nil {
			leftoverText.reportf(p, p.Within(pointer, m[0], m[1]), "%q is left over from a scaffold", text[m[0]:m[1]])
		}
	}
	if p.IsNested {
		return
	}
	for _, name := range []string{"README.md", "CHANGELOG.md"} {
		found, _ := inspect.FindText(p, name)
		if found == nil || found.Err != nil {
			continue // readme-missing reports it
		}
		if !mayHaveLeftover(found.Data) {
			continue
		}
		for _, m := range leftover.FindAllIndex(inspect.WithoutCode(found.Data), maxLeftovers) {
			text := found.Data[m[0]:m[1]]
			k := leftoverText
			if text[0] == '#' && name == "README.md" {
				k = ordinary
			}
			k.reportf(p, inspect.PlaceIn(p, found.File, found.Data, m[0], m[1]), "%q is left over from a scaffold", text)
		}
	}
}

const maxLeftovers = 20

// mayHaveLeftover quickly rules out texts in which leftover cannot match.
func mayHaveLeftover(text []byte) bool {
	text = bytes.ToLower(text)
	parts := []string{"plugin template", "<!--", "<%=", "[[", "<your", "<my", "github.com/your", "github.com/my"}
	return slices.ContainsFunc(parts, func(part string) bool { return bytes.Contains(text, []byte(part)) })
}

// suspects returns the pointers at which leftover may match: none if the document
// contains no part of a match and no escape that could hide one.
func suspects(doc *bundle.Document) []string {
	if !mayHaveLeftover(doc.Data) && !bytes.Contains(doc.Data, []byte(`\u`)) && !bytes.Contains(doc.Data, []byte(`\/`)) {
		return nil
	}
	return doc.Pointers()
}
