package schema

import (
	"encoding/json"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// TestShapesAgree changes every part of a large plugin.json and compares the verdicts of
// the shape and the schema.
func TestShapesAgree(t *testing.T) {
	t.Parallel()
	for _, profile := range bundle.Profiles() {
		s, err := load(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		if s.shape == nil {
			t.Fatalf("%s: the schema has a keyword that shape does not support", profile.Name)
		}
		fits := map[bool]int{}
		raw, err := rawSchema(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		whole := filled(raw)
		mutate(whole, func(value any) { whole = value }, func() {
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			isFit := agree(t, s, text)
			fits[isFit]++
		})
		if fits[true] < 100 || fits[false] < 500 {
			t.Errorf("%s: %d mutants fit, %d do not", profile.Name, fits[true], fits[false])
		}
	}
}

// agree fails if the shape and the schema disagree.
func agree(t *testing.T, s *Schema, text []byte) bool {
	t.Helper()
	doc, err := bundle.ParseDocument("plugin.json", text)
	if err != nil {
		t.Skip("not JSON")
	}
	compiled, err := s.compiled()
	if err != nil {
		t.Fatal(err)
	}
	isFit, err := s.shape.fits(doc, doc.Root()), compiled.Validate(doc.Any())
	if isFit != (err == nil) {
		t.Errorf("shape fits: %t, schema: %v: %s", isFit, err, text)
	}
	return isFit
}

// filled returns a value with everything that a part of the schema describes.
func filled(node map[string]any) any {
	if values, ok := node["enum"].([]any); ok {
		return values[0]
	}
	switch node["type"] {
	case "object":
		object := map[string]any{}
		properties, _ := node["properties"].(map[string]any)
		for name, below := range properties {
			object[name] = filled(below.(map[string]any))
		}
		return object
	case "array":
		items, _ := node["items"].(map[string]any)
		return []any{filled(items)}
	case "number":
		return 1.5
	case "boolean":
		return true
	}
	return "ä text"
}

// mutate replaces each value with others, and removes each.
func mutate(value any, set func(any), look func()) {
	look()
	for _, other := range []any{nil, 1, "", true, []any{nil}, map[string]any{}} {
		set(other)
		look()
	}
	set(value)
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			delete(v, key)
			look()
			v[key] = below
			mutate(below, func(other any) { v[key] = other }, look)
		}
		v["unknown"] = true
		look()
		delete(v, "unknown")
	case []any:
		for i, below := range v {
			mutate(below, func(other any) { v[i] = other }, look)
		}
	}
}

func FuzzShape(f *testing.F) {
	s, err := load("service")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(`{"id": "acme-clock-panel", "backend": "yes", "grants": ["Viewer"], "info": {"logos": {"small": ""}}}`))
	f.Add([]byte(`{"id": "", "\u0069d": null, "info": {"logos": []}}`))
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, s, text) })
}
