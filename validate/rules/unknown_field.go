package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
					finding.Fix = rename(p, s, f, f.meant)
				} else {
					question, mend, near := s.of(p).suggest(p, f, in, key)
					finding.Message += question
					finding.Mend = mend
					finding.Fix = rename(p, s, f, near)
				}
				p.Report(finding)
			}
		},
	}
}

// suggest says what an unknown key may have been meant to be: a property of the
// same object, else one of another object.
func (s *schema) suggest(p *validate.Pass, f fault, in, key string) (question, mend, near string) {
	known, _ := f.node["properties"].(map[string]any)
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return p.Doc.Has(in + "/" + bundle.EscapePointer(name))
	})
	near = ofProfile(p.Profile, key)
	if !slices.Contains(free, near) {
		near = nearest(key, free)
	}
	if near != "" {
		return fmt.Sprintf(": did you mean %q?", near), fmt.Sprintf("rename it to %q", near), near
	}

	const moveIt = "move it to where it belongs, or delete it"
	if homes := s.homes[key]; 0 < len(homes) && len(homes) <= 3 {
		return ": it belongs to " + either(homes), moveIt, ""
	}
	elsewhere := nearest(key, s.names)
	if homes := s.homes[elsewhere]; 0 < len(homes) && len(homes) <= 3 {
		return fmt.Sprintf(": did you mean %q of %s?", elsewhere, either(homes)), moveIt, ""
	}
	return "", "delete it, or check its spelling", ""
}

// rename is the fix that gives an unknown key the name it was meant to have, where
// that is sure: the value has the type of that property, and the keys differ little
// for their length. nil where it is not.
func rename(p *validate.Pass, s schemas, f fault, to string) *validate.Fix {
	properties, _ := f.node["properties"].(map[string]any)
	property, _ := properties[to].(map[string]any)
	in, key := parent(f.pointer)
	others := 0 // with the same meaning
	for _, other := range s.allFaults(p) {
		if around, otherKey := parent(other.pointer); other.keyword == f.keyword && around == in && nearest(otherKey, []string{to}) != "" {
			others++
		}
	}
	isClose := ofProfile(p.Profile, key) == to || distance(strings.ToLower(key), strings.ToLower(to)) <= max(1, len(to)/5)
	if property == nil || property["type"] != p.Doc.Kind(f.pointer) || others > 1 || !isClose || isTwice(p, f.pointer) {
		return nil
	}
	return &validate.Fix{Title: fmt.Sprintf("rename %q to %q", key, to), Edits: []validate.Edit{p.Rename(f.pointer, to)}}
}

// isTwice says whether the object holds the key more than once.
func isTwice(p *validate.Pass, pointer string) bool {
	return slices.ContainsFunc(p.Doc.Duplicates(), func(d bundle.Duplicate) bool { return d.Pointer == pointer })
}
