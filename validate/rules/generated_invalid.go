package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

const extensionsPointer = "/generated/extensions"

func generatedInvalid(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "generated-invalid",
		Severity: validate.Error,
		Summary:  "what the build wrote into \"generated\" is as the contract has it",
		Why:      "The service reads from \"generated\" what the plugin adds to the user interface, before it loads the plugin. It cannot use entries that it does not understand.",
		Help:     "build the plugin again and do not edit \"generated\" by hand",
		Where:    validate.Dist | validate.Zip,
		Check: func(p *validate.Pass) {
			for _, f := range s.generatedFaults(p) {
				p.Reportf(placeOf(p, f), "%s", sayFault(p, f))
			}
			seen := map[string]string{}
			for _, item := range p.Doc.Items(extensionsPointer) {
				point, isText := p.Doc.Text(item + "/extensionPointId")
				if isText && strings.TrimSpace(point) == "" {
					p.Reportf(p.Value(item+"/extensionPointId"), "the extension names no place")
					continue
				}
				var parts []string
				for _, key := range []string{"extensionPointId", "type", "title", "description"} {
					text, _ := p.Doc.Text(item + "/" + key)
					parts = append(parts, text)
				}
				all := strings.Join(parts, "\x00")
				if first, again := seen[all]; again {
					p.Report(validate.Finding{
						Place:   p.Opening(item),
						Message: fmt.Sprintf("the extension of %q comes twice", point),
						Related: []validate.Related{{Place: p.Opening(first), Message: "the first one is here"}},
					})
				}
				seen[all] = item
			}
		},
	}
}

// placeOf is where a fault of the schema shows.
func placeOf(p *validate.Pass, f fault) validate.Place {
	switch kind := p.Doc.Kind(f.pointer); {
	case f.keyword == "required":
		in, _ := parent(f.pointer)
		at := p.Opening(in)
		at.Pointer = f.pointer
		return at
	case f.keyword == "additionalProperties":
		return p.Key(f.pointer)
	case kind == "object" || kind == "array":
		return p.Opening(f.pointer)
	}
	return p.Value(f.pointer)
}

// sayFault says what is wrong with a part of "generated".
func sayFault(p *validate.Pass, f fault) string {
	in, key := parent(f.pointer)
	text, _ := p.Doc.Text(f.pointer)
	switch f.keyword {
	case "required":
		return fmt.Sprintf("%s lacks %q", object(in), key)
	case "additionalProperties":
		return fmt.Sprintf("%s has no property %q", object(in), key)
	case "enum":
		return fmt.Sprintf("%s must be %s, not %q", object(f.pointer), either(choices(f)), text)
	}
	return fmt.Sprintf("%s must be %s, but it is %s", object(f.pointer), noun(f.node["type"].(string)), noun(p.Doc.Kind(f.pointer)))
}
