package schema

import (
	"encoding/json"
	"errors"
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
)

// TestLibraryAgrees changes every part of a large plugin.json and compares Node.check
// with a library that knows all of JSON Schema.
func TestLibraryAgrees(t *testing.T) {
	t.Parallel()
	for _, profile := range bundle.Profiles() {
		root, library := Of(profile).Root, compile(t, profile.Name)
		raw, err := rawSchema(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		valid := map[bool]int{}
		whole := filled(raw)
		mutate(whole, func(value any) { whole = value }, func() {
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			isValid := agree(t, root, library, text)
			valid[isValid]++
		})
		if valid[true] < 100 || valid[false] < 500 {
			t.Errorf("%s: only %d valid and %d invalid documents", profile.Name, valid[true], valid[false])
		}
	}
}

func compile(tb testing.TB, profile string) *jsonschema.Schema {
	tb.Helper()
	text, err := JSON(profile)
	if err != nil {
		tb.Fatal(err)
	}
	return jsonschema.MustCompileString("mem:///plugin.schema.json", string(text))
}

// agree fails unless the library finds the same violations as check, by the value
// and keyword.
func agree(t *testing.T, root *Node, library *jsonschema.Schema, text []byte) (isValid bool) {
	t.Helper()
	doc, err := bundle.ParseDocument("plugin.json", text)
	if err != nil {
		t.Skip("not JSON")
	}
	got, want := map[string]bool{}, map[string]bool{}
	for _, v := range root.check(doc, "", nil) {
		at := v.Pointer
		if v.Keyword == "required" || v.Keyword == "additionalProperties" {
			at, _ = Parent(v.Pointer)
		}
		got[v.Keyword+" "+at] = true
	}
	var leaves func(e *jsonschema.ValidationError)
	leaves = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			leaves(cause)
		}
		if len(e.Causes) == 0 {
			want[path.Base(e.KeywordLocation)+" "+e.InstanceLocation] = true
		}
	}
	if err, ok := errors.AsType[*jsonschema.ValidationError](library.Validate(doc.Any())); ok {
		leaves(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-library +check):\n%s", text, diff)
	}
	return len(want) == 0
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

// mutate replaces each value by others, and removes each.
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

func FuzzCheck(f *testing.F) {
	profile, err := bundle.ProfileByName("service")
	if err != nil {
		f.Fatal(err)
	}
	root, library := Of(profile).Root, compile(f, "service")
	f.Add([]byte(`{"id": "acme-clock-panel", "backend": "yes", "grants": ["Viewer"], "info": {"logos": {"small": ""}}}`))
	f.Add([]byte(`{"id": "", "\u0069d": null, "info": {"logos": []}}`))
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, root, library, text) })
}
