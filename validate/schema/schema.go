// Package schema holds the JSON Schema of plugin.json and lists what a plugin.json
// violates.
//
// It defines the contract of plugin.json in both profiles (plugin.schema.json, and the
// changes to it in grafana.patch.json) and the names by which messages refer to its
// parts. It reports nothing: a rule reports each kind of violation.
package schema

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
)

//go:embed plugin.schema.json
var baseSchema string

//go:embed grafana.patch.json
var grafanaPatch string

// JSON returns the JSON Schema (draft 7) of plugin.json in a profile. It also allows the keys
// of other profiles, for a plugin.json that serves them all.
func JSON(profile string, others ...string) ([]byte, error) {
	raw, err := rawSchema(profile)
	if err != nil {
		return nil, err
	}
	for _, name := range others {
		other, err := rawSchema(name)
		if err != nil {
			return nil, err
		}
		addKeys(raw, other)
	}
	return json.MarshalIndent(raw, "", "  ")
}

// addKeys adds the properties that only the other schema has, at every depth.
func addKeys(schema, other map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	others, _ := other["properties"].(map[string]any)
	for key, value := range others {
		if properties[key] == nil && properties != nil {
			properties[key] = value
		}
		addBelow(properties[key], value)
	}
	addBelow(schema["items"], other["items"])
}

func addBelow(schema, other any) {
	a, isA := schema.(map[string]any)
	b, isB := other.(map[string]any)
	if isA && isB {
		addKeys(a, b)
	}
}

// rawSchema returns the base schema with the profile's JSON merge patch (RFC 7396).
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

// Schema is the schema of one profile.
type Schema struct {
	Root  *jsonschema.Schema
	Homes map[string][]string // the objects that have a key, such as "roles[].role", by key
	Keys  []string            // of Homes, sorted
}

// byProfile returns functions that compile the schema of a profile once, by its name.
var byProfile = sync.OnceValue(func() map[string]func() (*Schema, error) {
	all := map[string]func() (*Schema, error){}
	for _, p := range bundle.Profiles() {
		all[p.Name] = sync.OnceValues(func() (*Schema, error) { return compile(p.Name) })
	}
	return all
})

// Of returns the schema of a profile, which it compiles on first use. It panics if the
// embedded files are invalid.
func Of(profile bundle.Profile) *Schema {
	s, err := byProfile()[profile.Name]()
	if err != nil {
		panic(err)
	}
	return s
}

func compile(profile string, others ...string) (*Schema, error) {
	text, err := JSON(profile, others...)
	if err != nil {
		return nil, err
	}
	const url = "mem:///plugin.schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.ExtractAnnotations = true
	if err := compiler.AddResource(url, bytes.NewReader(text)); err != nil {
		return nil, err
	}
	s := &Schema{Homes: map[string][]string{}}
	if s.Root, err = compiler.Compile(url); err != nil {
		return nil, err
	}
	s.findHomes(s.Root, "")
	s.Keys = slices.Sorted(maps.Keys(s.Homes))
	return s, nil
}

func (s *Schema) findHomes(n *jsonschema.Schema, home string) {
	if items := Items(n); items != nil {
		s.findHomes(items, home+"[]")
	}
	for _, key := range slices.Sorted(maps.Keys(n.Properties)) {
		s.Homes[key] = append(s.Homes[key], cmp.Or(home, "the top level"))
		s.findHomes(n.Properties[key], strings.TrimPrefix(home+"."+key, "."))
	}
}

// At returns the schema of the value at a pointer of a document, or nil if the schema
// does not describe it.
func (s *Schema) At(pointer string) *jsonschema.Schema {
	n := s.Root
	for _, token := range strings.Split(pointer, "/")[1:] {
		switch {
		case n == nil:
			return nil
		case n.Items != nil:
			n = Items(n)
		default:
			n = n.Properties[bundle.UnescapePointer(token)]
		}
	}
	return n
}

// Items returns the schema of the items of an array, or nil.
func Items(n *jsonschema.Schema) *jsonschema.Schema {
	items, _ := n.Items.(*jsonschema.Schema)
	return items
}
