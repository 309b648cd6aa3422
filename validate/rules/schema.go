package rules

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

//go:embed plugin.schema.json
var baseSchema string

//go:embed grafana.patch.json
var grafanaPatch string

// Schema returns the JSON Schema (draft 2020-12) of plugin.json in a profile.
func Schema(profile string) ([]byte, error) {
	raw, err := rawSchema(profile)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(raw, "", "  ")
}

// rawSchema is the base schema with the profile's JSON merge patch (RFC 7396).
func rawSchema(profile string) (map[string]any, error) {
	var raw map[string]any
	if err := json.Unmarshal([]byte(baseSchema), &raw); err != nil {
		return nil, fmt.Errorf("schema of plugin.json: %w", err)
	}
	patchText, ok := map[string]string{"service": "{}", "grafana": grafanaPatch}[profile]
	if !ok {
		return nil, fmt.Errorf("profile %q has no schema", profile)
	}
	var patch map[string]any
	if err := json.Unmarshal([]byte(patchText), &patch); err != nil {
		return nil, fmt.Errorf("schema patch of profile %s: %w", profile, err)
	}
	return mergePatch(raw, patch), nil
}

func mergePatch(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for key, value := range patch {
		switch v := value.(type) {
		case nil:
			delete(target, key)
		case map[string]any:
			below, _ := target[key].(map[string]any)
			target[key] = mergePatch(below, v)
		default:
			target[key] = v
		}
	}
	return target
}

// schema is the compiled schema of one profile.
type schema struct {
	compiled func() (*jsonschema.Schema, error) // made for the first plugin that does not fit
	shape    *shape                             // nil where it has none
	raw      map[string]any
	homes    map[string][]string // property name -> the objects that have it, such as roles[].role
	names    []string            // of homes, sorted
}

// schemas compiles the schema of a profile when it is first asked for.
type schemas map[string]func() (*schema, error)

func newSchemas() schemas {
	s := schemas{}
	for _, p := range bundle.Profiles() {
		s[p.Name] = sync.OnceValues(func() (*schema, error) { return compile(p.Name) })
	}
	return s
}

func compile(profile string) (*schema, error) {
	raw, err := rawSchema(profile)
	if err != nil {
		return nil, err
	}
	s := &schema{raw: raw, homes: map[string][]string{}}
	s.compiled = sync.OnceValues(func() (*jsonschema.Schema, error) { return compileRaw(profile, raw) })
	s.shape, _ = newShape(raw)
	s.findHomes(raw, "")
	s.names = slices.Sorted(maps.Keys(s.homes))
	return s, nil
}

// compileRaw hands the schema to the library that knows all of JSON Schema.
func compileRaw(profile string, raw map[string]any) (*jsonschema.Schema, error) {
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, fmt.Errorf("schema of profile %s: %w", profile, err)
	}
	const address = "mem:///plugin.schema.json"
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(address, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("schema of profile %s: %w", profile, err)
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, fmt.Errorf("schema of profile %s: %w", profile, err)
	}
	return compiled, nil
}

func (s *schema) findHomes(node map[string]any, home string) {
	if items, ok := node["items"].(map[string]any); ok {
		s.findHomes(items, home+"[]")
	}
	properties, _ := node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		s.homes[name] = append(s.homes[name], cmp.Or(home, "the top level"))
		s.findHomes(properties[name].(map[string]any), strings.TrimPrefix(home+"."+name, "."))
	}
}

// fault is one thing that the schema does not allow.
type fault struct {
	keyword string         // required, minLength, type, enum, additionalProperties
	pointer string         // of the value, the missing or the unknown property
	node    map[string]any // the part of the schema that says so
	meant   string         // the missing property that an unknown one is a misspelling of
}

type faultsKey struct{}

// faults returns what the schema of the plugin's profile does not allow, once
// per plugin for all rules that ask. It panics if the schema is broken, which
// makes a skip of each rule that asks.
func (s schemas) faults(p *validate.Pass) []fault {
	return slices.DeleteFunc(slices.Clone(s.allFaults(p)), func(f fault) bool {
		return isGenerated(f) && p.Runs(generatedRule(p))
	})
}

// generatedFaults are those in "generated", which the build writes.
func (s schemas) generatedFaults(p *validate.Pass) []fault {
	return slices.DeleteFunc(slices.Clone(s.allFaults(p)), func(f fault) bool { return !isGenerated(f) })
}

func isGenerated(f fault) bool {
	return f.pointer == "/generated" || strings.HasPrefix(f.pointer, "/generated/")
}

// generatedRule is the rule that speaks of whatever is wrong in "generated".
func generatedRule(p *validate.Pass) string {
	if p.Where == validate.Source {
		return "generated-in-source"
	}
	return "generated-invalid"
}

func (s schemas) allFaults(p *validate.Pass) []fault {
	return validate.Fact(p, faultsKey{}, func() []fault {
		sch := s.of(p)
		if sch.shape != nil && sch.shape.fits(p.Doc, "") {
			return nil
		}
		compiled, err := sch.compiled()
		if err != nil {
			panic(err)
		}
		if err = compiled.Validate(p.Doc.Any()); err == nil {
			return nil
		}
		faults := sch.leaves(p.Doc, err.(*jsonschema.ValidationError), nil)
		slices.SortStableFunc(faults, func(a, b fault) int { return strings.Compare(a.pointer, b.pointer) })
		if p.Runs("unknown-field") {
			faults = joinMisspelt(p.Profile, faults)
		}
		return faults
	})
}

// of returns the schema of the plugin's profile.
func (s schemas) of(p *validate.Pass) *schema {
	sch, err := s[p.Profile.Name]()
	if err != nil {
		panic(err)
	}
	return sch
}

// leaves expands the leaves of a validation error into one fault per property.
func (s *schema) leaves(doc *bundle.Document, e *jsonschema.ValidationError, to []fault) []fault {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			to = s.leaves(doc, cause, to)
		}
		return to
	}
	slash := strings.LastIndexByte(e.KeywordLocation, '/')
	keyword := e.KeywordLocation[slash+1:]
	node := s.at(e.KeywordLocation[:slash])
	switch keyword {
	case "required":
		for _, name := range node["required"].([]any) {
			if at := e.InstanceLocation + "/" + bundle.EscapePointer(name.(string)); !doc.Has(at) {
				to = append(to, fault{keyword: keyword, pointer: at, node: node})
			}
		}
	case "additionalProperties":
		known, _ := node["properties"].(map[string]any)
		for _, key := range doc.Keys(e.InstanceLocation) {
			if _, ok := known[key]; !ok {
				to = append(to, fault{keyword: keyword, pointer: e.InstanceLocation + "/" + bundle.EscapePointer(key), node: node})
			}
		}
	default:
		to = append(to, fault{keyword: keyword, pointer: e.InstanceLocation, node: node})
	}
	return to
}

// at returns the part of the schema at a JSON pointer.
func (s *schema) at(pointer string) map[string]any {
	node := s.raw
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" {
			continue
		}
		node = node[bundle.UnescapePointer(token)].(map[string]any)
	}
	return node
}
