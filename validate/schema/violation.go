package schema

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/nearest"
	"github.com/slipway-dev/slipway/validate"
)

// Violation is one thing that the schema does not allow.
type Violation struct {
	Keyword string             // required, type, enum, minLength, pattern, format or additionalProperties
	Pointer string             // of the value, of the missing key or of the unknown key
	Node    *jsonschema.Schema // the part of the schema that is violated
	Meant   string             // the missing key that an unknown key is a misspelling of
}

// The ids of the rules that report some violations instead of others, if they run.
const (
	UnknownField      = "unknown-field"
	GeneratedInvalid  = "generated-invalid"
	GeneratedInSource = "generated-in-source"
)

// violations holds what the schema of the plugin's profile does not allow.
var violations = validate.NewFact(func(p *validate.Pass) []Violation {
	found := Of(p.Profile).check(p.Doc)
	if !p.IsCatalog { // which has no other hosts
		found = slices.DeleteFunc(found, forOther(p.Profile, p.Doc))
	}
	if p.Runs(UnknownField) {
		return joinMisspelled(p.Profile, found)
	}
	return found
})

// forOther returns the function that reports whether a violation is a key for the hosts of
// another profile. A plugin.json may have such keys if it has the required dependency of both
// profiles.
func forOther(profile bundle.Profile, doc *bundle.Document) func(Violation) bool {
	var others []*Schema
	for _, other := range bundle.Profiles() {
		isFor := doc.Has("/dependencies/"+profile.DependencyKey) && doc.Has("/dependencies/"+other.DependencyKey)
		if other.Name != profile.Name && isFor {
			others = append(others, Of(other))
		}
	}
	return func(v Violation) bool {
		return v.Keyword == "additionalProperties" && slices.ContainsFunc(others, func(s *Schema) bool { return s.At(v.Pointer) != nil })
	}
}

// check lists what a document violates, by pointer.
func (s *Schema) check(doc *bundle.Document) (found []Violation) {
	err := s.Root.Validate(doc.Any())
	if err == nil {
		return nil
	}
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			found = append(found, s.violationsOf(doc, e)...)
		}
	}
	walk(err.(*jsonschema.ValidationError)) // any other is a fault of the schema, for which the rule panics
	slices.SortStableFunc(found, func(a, b Violation) int { return strings.Compare(a.Pointer, b.Pointer) })
	return found
}

// violationsOf returns one violation for an error, or one for each key that it is about.
func (s *Schema) violationsOf(doc *bundle.Document, e *jsonschema.ValidationError) (all []Violation) {
	pointer := e.InstanceLocation // whose keys are those of the schema, which need no escaping
	node, keyword := s.At(pointer), path.Base(e.KeywordLocation)
	var keys []string
	switch keyword {
	case "required":
		keys = node.Required
	case "additionalProperties":
		keys = doc.Keys(pointer)
	default:
		return []Violation{{Keyword: keyword, Pointer: pointer, Node: node}}
	}
	for _, key := range keys {
		at := pointer + "/" + bundle.EscapePointer(key)
		if keyword == "required" && !doc.Has(at) || keyword == "additionalProperties" && node.Properties[key] == nil {
			all = append(all, Violation{Keyword: keyword, Pointer: at, Node: node})
		}
	}
	return all
}

// Violations returns what is wrong in a plugin.json, of some keywords or of all, except in "generated" if the
// rule for that runs.
func Violations(p *validate.Pass, keywords ...string) []Violation {
	rule := GeneratedInvalid
	if p.Where == validate.Source {
		rule = GeneratedInSource
	}
	isLeftOut := p.Runs(rule)
	return slices.DeleteFunc(slices.Clone(violations.Of(p)), func(v Violation) bool {
		return isLeftOut && v.isGenerated() || len(keywords) > 0 && !slices.Contains(keywords, v.Keyword)
	})
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

// Folded returns the known key from which an unknown one differs only in case, or "". Hosts decode plugin.json with
// Go's encoding/json, which does not distinguish them, except in a map, such as the parameters of a token.
func (v Violation) Folded() string {
	in, key := Parent(v.Pointer)
	if strings.HasSuffix(in, "/params") {
		return ""
	}
	for known := range v.Node.Properties {
		if strings.EqualFold(known, key) {
			return known
		}
	}
	return ""
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
		return fmt.Sprintf("%s must be %s, found %q", Name(v.Pointer), Either(v.Choices()), text)
	case "minLength":
		if v.Node.MinLength > 1 {
			return fmt.Sprintf("%s must have at least %d characters, found %d", Name(v.Pointer), v.Node.MinLength, utf8.RuneCountInString(text))
		}
		return Name(v.Pointer) + " is empty"
	case "pattern":
		return fmt.Sprintf("%s is malformed: %q", Name(v.Pointer), text)
	case "format":
		return fmt.Sprintf("%s must be %s, found %q", Name(v.Pointer),
			map[string]string{"email": "an email address", "uri": "a full URL"}[v.Node.Format], text)
	}
	return fmt.Sprintf("%s must be %s, found %s", Name(v.Pointer), jsontype.Name(v.Node.Types[0]), jsontype.Name(doc.Kind(v.Pointer)))
}

// Place returns the position of the violation: a missing key at the opening of its
// object, an unknown one at the key, and any other at the value.
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

// Choices returns the values that the schema allows.
func (v Violation) Choices() []string { return texts(v.Node.Enum) }

// Examples returns values that match the pattern or format.
func (v Violation) Examples() []string { return texts(v.Node.Examples) }

func texts(values []any) (all []string) {
	for _, value := range values {
		all = append(all, value.(string))
	}
	return all
}

// Parent splits a pointer into the pointer of the enclosing object and the key.
func Parent(pointer string) (in, key string) {
	slash := max(strings.LastIndexByte(pointer, '/'), 0)
	return pointer[:slash], bundle.UnescapePointer(strings.TrimPrefix(pointer[slash:], "/"))
}

// Name names the value at a pointer in a message: "roles[0].role.name", in quotes.
func Name(pointer string) string {
	if pointer == "" {
		return bundle.MetadataFile
	}
	var b strings.Builder
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(bundle.UnescapePointer(token))
	}
	return fmt.Sprintf("%q", b.String())
}

// Either joins choices for a message: "a, b or c".
func Either(choices []string) string {
	if n := len(choices); n > 1 {
		return strings.Join(choices[:n-1], ", ") + " or " + choices[n-1]
	}
	return strings.Join(choices, "")
}
