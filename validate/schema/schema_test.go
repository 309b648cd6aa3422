package schema

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
)

// TestKeywords requires that the schemas use only keywords that Violation knows, and that
// every value has a type and a description.
func TestKeywords(t *testing.T) {
	t.Parallel()
	known := strings.Fields("$schema title description type enum required properties additionalProperties items minLength pattern format examples")
	var walk func(t *testing.T, at string, node map[string]any)
	walk = func(t *testing.T, at string, node map[string]any) {
		for key := range node {
			if !slices.Contains(known, key) {
				t.Errorf("%s: keyword %q: unknown to Violation", at, key)
			}
		}
		if node["type"] == nil || at != "" && node["description"] == nil && !strings.HasSuffix(at, "[]") {
			t.Errorf("%s has no type or no description", at)
		}
		properties, _ := node["properties"].(map[string]any)
		for name, property := range properties {
			walk(t, at+"/"+name, property.(map[string]any))
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(t, at+"[]", items)
		}
	}
	for _, p := range bundle.Profiles() {
		raw, err := rawSchema(p.Name)
		if err != nil {
			t.Fatal(err)
		}
		walk(t, "", raw)
		dependencies := raw["properties"].(map[string]any)["dependencies"].(map[string]any)
		if required := dependencies["required"].([]any); !slices.Contains(required, any(p.DependencyKey)) {
			t.Errorf("profile %s does not require %s", p.Name, p.DependencyKey)
		}
	}
	if _, err := JSON("other"); err == nil {
		t.Error("no error for an unknown profile")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := load("grafana"); err != nil {
			b.Fatal(err)
		}
	}
}
