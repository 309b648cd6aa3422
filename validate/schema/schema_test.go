package schema

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// TestKeywords requires that the schemas use only keywords that Violation knows, and that
// every value has a type and a description. None of the keywords computes with numbers, for which the
// library would write out all digits of 1e999999999.
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
		if node["type"] == "integer" {
			t.Errorf("%s is an integer, which the library computes", at)
		}
		enum, _ := node["enum"].([]any)
		for _, choice := range enum {
			if _, isText := choice.(string); !isText {
				t.Errorf("%s: the choice %v is not a string", at, choice)
			}
		}
		if node["type"] == nil || at != "" && node["description"] == nil && !strings.HasSuffix(at, "[]") {
			t.Errorf("%s has no type or no description", at)
		}
		properties, _ := node["properties"].(map[string]any)
		for name, property := range properties {
			if url.PathEscape(bundle.EscapePointer(name)) != name {
				t.Errorf("%s: the library escapes the key %q", at, name)
			}
			walk(t, at+"/"+name, property.(map[string]any))
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(t, at+"[]", items)
		}
	}
	for _, p := range bundle.Profiles() {
		raw := testkit.Must(rawSchema(p.Name))(t)
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

// TestPointers requires the pointers of unusual keys.
func TestPointers(t *testing.T) {
	t.Parallel()
	var got []string
	rule := validate.Rule{ID: "schema", Check: func(p *validate.Pass) {
		for _, v := range Violations(p) {
			if v.Keyword != "required" {
				got = append(got, v.Keyword+" "+v.Pointer)
			}
		}
	}}
	const text = `{"": 1, "a/b": 1, "%2F": 1, "~ #?é": 1, "\u0069d": "", "info": {"": 0, "links": [{}, {"url": 1e999999999}, null]}}`
	tree := fstest.MapFS{"plugin.json": {Data: []byte(text)}}
	testkit.Must(validate.Run(t.Context(), tree, validate.Options{Rules: []validate.Rule{rule}}))(t)
	want := []string{
		"additionalProperties /", "additionalProperties /%2F", "additionalProperties /a~1b", "minLength /id", "additionalProperties /info/",
		"type /info/links/1/url", "type /info/links/2", "additionalProperties /~0 #?é",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
}

// TestBothProfiles requires that editors accept the plugin.json for both profiles that the documentation shows.
func TestBothProfiles(t *testing.T) {
	t.Parallel()
	page := testkit.Must(os.ReadFile("../../doc/compatibility.md"))(t)
	_, rest, _ := strings.Cut(string(page), "```json\n")
	text, _, _ := strings.Cut(rest, "```")
	var value any
	testkit.OK(t, json.Unmarshal([]byte(text), &value))
	both := testkit.Must(compile("service", "grafana"))(t)
	if err := both.Root.Validate(value); err != nil {
		t.Errorf("%#v", err)
	}
	for _, profile := range bundle.Profiles() {
		if Of(profile).Root.Validate(value) == nil {
			t.Errorf("the schema of %s has the keys of others", profile.Name)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		testkit.Must(compile("grafana"))(b)
	}
}
