package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

func unknownField(s schemas) validate.Rule {
	return validate.Rule{
		ID:       "unknown-field",
		Severity: validate.Warning,
		Summary:  "every property is one that the contract knows",
		Why:      "The service ignores a property that it does not know, so a misspelt one has no effect and nobody says so. Where a required property is misspelt this is an error.",
		Help:     "delete the property",
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
					finding.Help = fmt.Sprintf("rename it to %q", f.meant)
					finding.Fix = rename(p, s, f, f.meant)
				} else {
					question, help, near := s.of(p).suggest(p, f, in, key)
					finding.Message += question
					finding.Help = help
					finding.Fix = rename(p, s, f, near)
				}
				p.Report(finding)
			}
		},
	}
}

// suggest says what an unknown key may have been meant to be: a property of the
// same object, else one of another object.
func (s *schema) suggest(p *validate.Pass, f fault, in, key string) (question, help, near string) {
	known, _ := f.node["properties"].(map[string]any)
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool {
		return p.Doc.Has(in + "/" + bundle.EscapePointer(name))
	})
	near = ofProfile(p.Profile, key)
	if !slices.Contains(free, near) {
		near = nearest.Name(key, free)
	}
	if near != "" {
		return fmt.Sprintf(": did you mean %q?", near), fmt.Sprintf("rename it to %q", near), near
	}

	const moveIt = "move it to where it belongs, or delete it"
	if homes := s.homes[key]; 0 < len(homes) && len(homes) <= 3 {
		return ": it belongs to " + either(homes), moveIt, ""
	}
	elsewhere := nearest.Name(key, s.names)
	if homes := s.homes[elsewhere]; 0 < len(homes) && len(homes) <= 3 {
		return fmt.Sprintf(": did you mean %q of %s?", elsewhere, either(homes)), moveIt, ""
	}
	return "", "delete it, or check its spelling", ""
}

// rename is the fix that gives an unknown key the name it was meant to have, where
// that is sure: the value has the type of that property, the keys differ little for
// their length, and no key beside it could be meant as well. nil where it is not.
func rename(p *validate.Pass, s schemas, f fault, to string) *validate.Fix {
	properties, _ := f.node["properties"].(map[string]any)
	property, _ := properties[to].(map[string]any)
	in, key := parent(f.pointer)
	isClose := ofProfile(p.Profile, key) == to || nearest.Distance(strings.ToLower(key), strings.ToLower(to)) <= max(1, len(to)/5)
	if property == nil || property["type"] != p.Doc.Kind(f.pointer) || !isClose || isTwice(p, f.pointer) {
		return nil
	}
	for _, other := range s.unknownKeys(p)[in] {
		if other != key && nearest.Name(other, []string{to}) != "" {
			return nil
		}
	}
	return &validate.Fix{Title: fmt.Sprintf("rename %q to %q", key, to), Edits: []validate.Edit{p.Rename(f.pointer, to)}}
}

type unknownKey struct{}

// unknownKeys returns the unknown keys by the pointer of their object.
func (s schemas) unknownKeys(p *validate.Pass) map[string][]string {
	return validate.Fact(p, unknownKey{}, func() map[string][]string {
		keys := map[string][]string{}
		for _, f := range s.allFaults(p) {
			if f.keyword == "additionalProperties" {
				in, key := parent(f.pointer)
				keys[in] = append(keys[in], key)
			}
		}
		return keys
	})
}

// isTwice says whether the object holds the key more than once.
func isTwice(p *validate.Pass, pointer string) bool {
	return slices.ContainsFunc(p.Doc.Duplicates(), func(d bundle.Duplicate) bool { return d.Pointer == pointer })
}
