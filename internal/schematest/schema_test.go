package schematest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/schema"
)

// TestLibraryAgrees changes every part of a large plugin.json and compares the violations
// with those that a JSON Schema library finds.
func TestLibraryAgrees(t *testing.T) {
	t.Parallel()
	for _, profile := range bundle.Profiles() {
		text, err := schema.JSON(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		var raw map[string]any
		if err := json.Unmarshal(text, &raw); err != nil {
			t.Fatal(err)
		}
		library := compile(t, profile.Name)
		valid := map[bool]int{}
		whole := filled(raw)
		mutate(whole, func(value any) { whole = value }, func() {
			text, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			valid[agree(t, profile, library, text)]++
		})
		if valid[true] < 100 || valid[false] < 500 {
			t.Errorf("%s: %d mutants are valid, %d are not", profile.Name, valid[true], valid[false])
		}
	}
}

// TestBothProfiles requires that editors accept the plugin.json for both profiles that the documentation shows.
func TestBothProfiles(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "doc", "compatibility.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```json\n")
	text, _, _ := strings.Cut(rest, "```")
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if err := compile(t, "service", "grafana").Validate(value); err != nil {
		t.Errorf("%#v", err)
	}
	for _, profile := range bundle.Profiles() {
		if compile(t, profile.Name).Validate(value) == nil {
			t.Errorf("the schema of %s has the keys of others", profile.Name)
		}
	}
}

func compile(tb testing.TB, profile string, others ...string) *jsonschema.Schema {
	tb.Helper()
	text, err := schema.JSON(profile, others...)
	if err != nil {
		tb.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	if err := compiler.AddResource("mem:///plugin.schema.json", bytes.NewReader(text)); err != nil {
		tb.Fatal(err)
	}
	library, err := compiler.Compile("mem:///plugin.schema.json")
	if err != nil {
		tb.Fatal(err)
	}
	return library
}

// agree fails if the library finds other violations, and reports whether there are none.
func agree(t *testing.T, profile bundle.Profile, library *jsonschema.Schema, text []byte) bool {
	t.Helper()
	doc, err := bundle.ParseDocument("plugin.json", text)
	if err != nil {
		t.Skip("not JSON")
	}
	got := map[string]bool{} // the library reports the keys of an object together
	for _, v := range violations(t, profile, text) {
		at := v.Pointer
		if v.Keyword == "required" || v.Keyword == "additionalProperties" {
			at, _ = schema.Parent(v.Pointer)
		}
		got[v.Keyword+" "+at] = true
	}
	want := map[string]bool{}
	if err := library.Validate(doc.Any()); err != nil {
		leaves(err.(*jsonschema.ValidationError), want)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the library finds other violations (-want +got) in %s:\n%s", text, diff)
	}
	return len(got) == 0
}

// violations returns those that validate finds in a plugin.json.
func violations(t *testing.T, profile bundle.Profile, text []byte) (found []schema.Violation) {
	t.Helper()
	ran := false
	rule := validate.Rule{ID: "schema", Check: func(p *validate.Pass) { ran, found = true, schema.Violations(p) }}
	tree := fstest.MapFS{"plugin.json": {Data: text}}
	report, err := validate.Run(t.Context(), tree, validate.Options{Rules: []validate.Rule{rule}, Profile: profile.Name})
	if err != nil || !ran {
		t.Fatalf("the rule ran: %t (%v); %+v", ran, err, report)
	}
	return found
}

// leaves adds the keyword and the pointer of each error that has no cause.
func leaves(e *jsonschema.ValidationError, to map[string]bool) {
	for _, cause := range e.Causes {
		leaves(cause, to)
	}
	if len(e.Causes) == 0 {
		to[e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]+" "+e.InstanceLocation] = true
	}
}

// filled returns a value with everything that a part of the schema describes.
func filled(node map[string]any) any {
	for _, keyword := range []string{"enum", "examples"} {
		if values, ok := node[keyword].([]any); ok {
			return values[0]
		}
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

func FuzzViolations(f *testing.F) {
	profiles := bundle.Profiles()
	service := profiles[slices.IndexFunc(profiles, func(p bundle.Profile) bool { return p.Name == "service" })]
	library := compile(f, service.Name)
	f.Add([]byte(`{"id": "acme-clock-panel", "backend": "yes", "grants": ["Viewer"], "info": {"logos": {"small": ""}}}`))
	f.Add([]byte(`{"id": "", "\u0069d": null, "info": {"logos": []}}`))
	f.Add([]byte(`{"a/b": 1, "info": {"~": [[]]}}`))
	f.Fuzz(func(t *testing.T, text []byte) { agree(t, service, library, text) })
}
