package rules

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// leftover is a text that a scaffold wrote for the author to replace.
var leftover = regexp.MustCompile(`(?im)^#+ *Grafana (?:Panel|Data Source(?: Backend)?|App|Scenes App) Plugin Template\b` +
	`|<!-- *This README file is going to be the one displayed on` +
	`|<%= *\w[\w. ]*%>` +
	`|\[\[ *(?:json )?\.\w+ *\]\]` +
	`|<(?:your|my)[ -]?(?:org(?:ani[sz]ation)?|name|plugin(?: ?name)?|github[ -]?user(?:name)?)>` +
	`|https?://github\.com/(?:your-?org|your-?name|my-?org)\b[^\s"')]*`)

func scaffoldText() validate.Rule {
	return validate.Rule{
		ID:       "scaffold-text",
		Severity: validate.Warning,
		Summary:  "no text of a scaffold is left for the author to replace",
		Why:      "A scaffold writes texts that speak of no plugin in particular. People who find them in a catalogue think that the plugin is not finished.",
		Help:     "write what is true of this plugin",
		Check: func(p *validate.Pass) {
			for _, pointer := range suspects(p.Doc) {
				text, _ := p.Doc.Text(pointer)
				if m := leftover.FindStringIndex(text); m != nil {
					p.Reportf(p.Within(pointer, m[0], m[1]), "the text %q is left from a scaffold", text[m[0]:m[1]])
				}
			}
			if isNested(p) {
				return
			}
			for _, name := range []string{"README.md", "CHANGELOG.md"} {
				found, _ := findText(p, name)
				if found == nil || found.err != nil {
					continue // readme-missing says why
				}
				data := bytes.TrimPrefix(found.data, []byte(byteOrderMark))
				if !mayHaveLeftover(string(data)) {
					continue
				}
				for _, m := range leftover.FindAllIndex(withoutCode(data), maxLeftovers) {
					p.Report(validate.Finding{
						Place:   placeIn(p, found.file, data, m[0], m[1]),
						Message: fmt.Sprintf("the text %q is left from a scaffold", data[m[0]:m[1]]),
					})
				}
			}
		},
	}
}

const maxLeftovers = 20

// mayHaveLeftover is a quick look for a part of what leftover finds.
func mayHaveLeftover(text string) bool {
	text = strings.ToLower(text)
	for _, part := range []string{"plugin template", "<!--", "<%=", "[[", "<your", "<my", "github.com/your", "github.com/my"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// suspects are the places of a document that may hold a leftover: none where its
// text has no part of one, which an escape could hide.
func suspects(doc *bundle.Document) []string {
	if !mayHaveLeftover(string(doc.Data)) && !bytes.Contains(doc.Data, []byte(`\u`)) && !bytes.Contains(doc.Data, []byte(`\/`)) {
		return nil
	}
	return doc.Pointers()
}
