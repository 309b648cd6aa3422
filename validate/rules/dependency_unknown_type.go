package rules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
	"github.com/slipway-dev/slipway/validate/schema"
)

const dependencyUnknownTypeID = "dependency-unknown-type"

func dependencyUnknownType(p *validate.Pass) {
	for _, v := range schema.Violations(p, "enum") {
		if !dependencyType.MatchString(v.Pointer) {
			continue
		}
		text, _ := p.Doc.Text(v.Pointer)
		f := validate.Finding{
			Place:   v.Place(p),
			Message: fmt.Sprintf("a dependency must be of type %s, found %q", schema.Either(v.Choices()), text),
		}
		if near := nearest.Name(text, v.Choices()); near != "" && strings.EqualFold(near, text) {
			f.Fix = writeText(p, v.Pointer, near)
		}
		p.Report(f)
	}
	others := inspect.Plugins.Of(p)
	for _, d := range inspect.Dependencies(p.Doc) {
		other, ok := others[d.ID]
		if !ok {
			continue
		}
		actual, _ := other.Doc.Text("/type")
		stated, _ := p.Doc.Text(d.Pointer + "/type")
		if actual == stated || !canDependOn(actual) || !canDependOn(stated) {
			continue
		}
		p.Report(validate.Finding{
			Place:   p.Value(d.Pointer + "/type"),
			Message: fmt.Sprintf("%s is of type %s, not %s", d.ID, actual, stated),
			Related: []validate.Related{{Place: inspect.ValueIn(p, other.Doc, "/type"), Message: "its type is set here"}},
		})
	}
}

// dependencyType matches the pointer of a dependency's type.
var dependencyType = regexp.MustCompile(`^/dependencies/plugins/\d+/type$`)

func canDependOn(kind string) bool { return kind == "app" || kind == "datasource" || kind == "panel" }
