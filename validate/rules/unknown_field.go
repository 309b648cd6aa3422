package rules

import (
	"fmt"
	"maps"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func unknownField(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "unknown-field",
		Severity: validate.Warning,
		Summary:  "every property is one that the contract knows",
		Why:      "The service ignores a property that it does not know, so a misspelt one has no effect and nobody says so. Where a required property is misspelt this is an error.",
		Mend:     "delete the property",
		Check: func(p *validate.Pass) {
			for _, f := range s.faults(p) {
				if f.keyword != "additionalProperties" {
					continue
				}
				in, key := parent(f.pointer)
				finding := validate.Finding{
					Place:   p.Key(f.pointer),
					Message: fmt.Sprintf("%s has no property %q", object(in), key),
				}
				if f.meant != "" {
					finding.Severity = validate.Error
					finding.Message += fmt.Sprintf(" and lacks %q: did you mean that?", f.meant)
					finding.Mend = fmt.Sprintf("rename it to %q", f.meant)
				} else {
					question, mend := s.of(p).suggest(p, f, in, key)
					finding.Message += question
					finding.Mend = mend
				}
				p.Report(finding)
			}
		},
	}
}

// suggest says what an unknown key may have been meant to be: a property of the
// same object, else one of another object.
func (s *schema) suggest(p *validate.Pass, f fault, in, key string) (question, mend string) {
	known, _ := f.node["properties"].(map[string]any)
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return p.Doc.Has(in + "/" + bundle.EscapePointer(name))
	})
	near := ofProfile(p.Profile, key)
	if !slices.Contains(free, near) {
		near = nearest(key, free)
	}
	if near != "" {
		return fmt.Sprintf(": did you mean %q?", near), fmt.Sprintf("rename it to %q", near)
	}

	const moveIt = "move it to where it belongs, or delete it"
	if homes := s.homes[key]; 0 < len(homes) && len(homes) <= 3 {
		return ": it belongs to " + either(homes), moveIt
	}
	elsewhere := nearest(key, s.names)
	if homes := s.homes[elsewhere]; 0 < len(homes) && len(homes) <= 3 {
		return fmt.Sprintf(": did you mean %q of %s?", elsewhere, either(homes)), moveIt
	}
	return "", "delete it, or check its spelling"
}
