package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

// Violation is one thing that the schema does not allow.
type Violation struct {
	Keyword string // required, minLength, type, enum or additionalProperties
	Pointer string // of the value, of the missing key or of the unknown key
	Node    *Node  // the part of the schema that is violated
	Meant   string // the missing key that an unknown key is a misspelling of
}

// violations holds what the schema of the plugin's profile does not allow. A panic
// becomes a skip of each rule that asks.
var violations = validate.NewFact(func(p *validate.Pass) []Violation {
	s := Of(p.Profile)
	if s.shape != nil && s.shape.fits(p.Doc, p.Doc.Root()) {
		return nil
	}
	compiled, err := s.compiled()
	if err != nil {
		panic(err)
	}
	if err = compiled.Validate(p.Doc.Any()); err == nil {
		return nil
	}
	all := s.leaves(p.Doc, err.(*jsonschema.ValidationError), nil)
	slices.SortStableFunc(all, func(a, b Violation) int { return strings.Compare(a.Pointer, b.Pointer) })
	if p.Runs("unknown-field") {
		all = joinMisspelled(p.Profile, all)
	}
	return all
})

// leaves expands the leaves of a validation error into one violation per key.
func (s *Schema) leaves(doc *bundle.Document, e *jsonschema.ValidationError, to []Violation) []Violation {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			to = s.leaves(doc, cause, to)
		}
		return to
	}
	v := Violation{
		Keyword: e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:],
		Pointer: e.InstanceLocation,
		Node:    s.Root.At(e.InstanceLocation),
	}
	var keys []string
	switch v.Keyword {
	case "required":
		keys = slices.DeleteFunc(slices.Clone(v.Node.Required), func(key string) bool {
			return doc.Has(v.Pointer + "/" + bundle.EscapePointer(key))
		})
	case "additionalProperties":
		keys = slices.DeleteFunc(slices.Clone(doc.Keys(v.Pointer)), func(key string) bool {
			return v.Node.Properties[key] != nil
		})
	default:
		return append(to, v)
	}
	for _, key := range keys {
		of := v
		of.Pointer += "/" + bundle.EscapePointer(key)
		to = append(to, of)
	}
	return to
}

// Violations returns what is wrong in a plugin.json, except in "generated" if the
// rule for that runs.
func Violations(p *validate.Pass) []Violation {
	rule := "generated-invalid"
	if p.Where == validate.Source {
		rule = "generated-in-source"
	}
	if !p.Runs(rule) {
		return violations.Of(p)
	}
	return slices.DeleteFunc(slices.Clone(violations.Of(p)), Violation.isGenerated)
}

// GeneratedViolations returns what is wrong in "generated".
func GeneratedViolations(p *validate.Pass) []Violation {
	return slices.DeleteFunc(slices.Clone(violations.Of(p)), func(v Violation) bool { return !v.isGenerated() })
}

func (v Violation) isGenerated() bool {
	return v.Pointer == "/generated" || strings.HasPrefix(v.Pointer, "/generated/")
}

// UnknownKeys holds the unknown keys by the pointer of their object.
var UnknownKeys = validate.NewFact(func(p *validate.Pass) map[string][]string {
	keys := map[string][]string{}
	for _, v := range violations.Of(p) {
		if v.Keyword == "additionalProperties" {
			in, key := Parent(v.Pointer)
			keys[in] = append(keys[in], key)
		}
	}
	return keys
})

// joinMisspelled merges a missing required key and the unknown key beside it that is
// a misspelling of it into one violation.
func joinMisspelled(profile bundle.Profile, all []Violation) []Violation {
	missing := map[string][]string{} // by the pointer of the object
	for _, v := range all {
		if v.Keyword == "required" {
			in, key := Parent(v.Pointer)
			missing[in] = append(missing[in], key)
		}
	}
	for i, v := range all {
		if v.Keyword != "additionalProperties" {
			continue
		}
		in, key := Parent(v.Pointer)
		meant := KeyInProfile(profile, key)
		if !slices.Contains(missing[in], meant) {
			meant = nearest.Name(key, missing[in])
		}
		all[i].Meant = meant
		missing[in] = slices.DeleteFunc(missing[in], func(name string) bool { return name == meant })
	}
	return slices.DeleteFunc(all, func(v Violation) bool {
		in, key := Parent(v.Pointer)
		return v.Keyword == "required" && !slices.Contains(missing[in], key)
	})
}

// KeyInProfile returns the name that a profile has for a key of another profile, or
// "" if the key is not such a key.
func KeyInProfile(profile bundle.Profile, key string) string {
	for _, other := range bundle.Profiles() {
		switch key {
		case profile.DependencyKey, profile.LegacyDependencyKey:
			return ""
		case other.DependencyKey:
			return profile.DependencyKey
		case other.LegacyDependencyKey:
			return profile.LegacyDependencyKey
		}
	}
	return ""
}

// Message describes the violation.
func (v Violation) Message(doc *bundle.Document) string {
	in, key := Parent(v.Pointer)
	text, _ := doc.Text(v.Pointer)
	switch v.Keyword {
	case "required":
		return fmt.Sprintf("%s is missing the required key %q", Name(in), key)
	case "additionalProperties":
		return fmt.Sprintf("unknown key %q in %s", key, Name(in))
	case "enum":
		return fmt.Sprintf("%s must be %s, found %q", Name(v.Pointer), Either(v.Node.Enum), text)
	case "minLength":
		return Name(v.Pointer) + " is empty"
	}
	return fmt.Sprintf("%s must be %s, found %s", Name(v.Pointer), jsontype.Name(v.Node.Type), jsontype.Name(doc.Kind(v.Pointer)))
}

// Place returns where the violation shows: a missing key at the opening of its object,
// an unknown one at the key, and any other at the value.
func (v Violation) Place(p *validate.Pass) validate.Place {
	kind := p.Doc.Kind(v.Pointer)
	switch {
	case v.Keyword == "required":
		in, _ := Parent(v.Pointer)
		at := p.Opening(in)
		at.Pointer = v.Pointer
		return at
	case v.Keyword == "additionalProperties":
		return p.Key(v.Pointer)
	case kind == "object" || kind == "array":
		return p.Opening(v.Pointer)
	}
	return p.Value(v.Pointer)
}
