package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

func dependencyUnknownType(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "dependency-unknown-type",
		Severity: validate.Error,
		Summary:  "the type of a plugin that is depended on can be depended on, and is its type",
		Why:      "A plugin can depend on apps, data sources and panels. One of another type is not looked for, so the dependency is never met.",
		Help:     "write the type that the other plugin has",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "enum" || !isDependencyType(f.pointer) {
					continue
				}
				text, _ := p.Doc.Text(f.pointer)
				finding := validate.Finding{
					Place:   p.Value(f.pointer),
					Message: fmt.Sprintf("a plugin can depend on one of type %s, not %q", either(choices(f)), text),
				}
				if near := nearest.Name(text, choices(f)); near != "" && strings.EqualFold(near, text) {
					finding.Fix = &validate.Fix{Title: fmt.Sprintf("write %q", near), Edits: []validate.Edit{p.Replace(f.pointer, near)}}
				}
				p.Report(finding)
			}
			others := siblings(p)
			for _, d := range dependenciesIn(p.Doc) {
				other, ok := others[d.id]
				if !ok {
					continue
				}
				is, _ := other.doc.Text("/type")
				says, _ := p.Doc.Text(d.pointer + "/type")
				if is == says || says == "" || !canDependOn(is) || !canDependOn(says) {
					continue
				}
				p.Report(validate.Finding{
					Place:   p.Value(d.pointer + "/type"),
					Message: fmt.Sprintf("%s is of type %s, not %s", d.id, is, says),
					Related: []validate.Related{{Place: other.in(p, "/type"), Message: "its type is here"}},
				})
			}
		},
	}
}

func canDependOn(kind string) bool { return kind == "app" || kind == "datasource" || kind == "panel" }
