package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate"
)

// published is the schema that Grafana publishes for plugin.json.
type published struct {
	raw     map[string]any
	library *jsonschema.Schema
}

// readPublished reads the schema from the directory around the files of real plugins, and skips
// the test if it is not there.
func readPublished(t *testing.T) published {
	t.Helper()
	name := filepath.Join(filepath.Dir(corpusDir()), "grafana-plugin.schema.json")
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s, the schema to compare with, does not exist", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := published{}
	testkit.OK(t, json.Unmarshal(data, &p.raw))
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat = true
	testkit.OK(t, compiler.AddResource("mem:///published.json", bytes.NewReader(data)))
	p.library = testkit.Must(compiler.Compile("mem:///published.json"))(t)
	return p
}

// accepts reports whether the schema accepts a plugin.json.
func (p published) accepts(doc *bundle.Document) bool { return p.library.Validate(doc.Any()) == nil }

// variant is a plugin.json that differs from a valid one at one pointer.
type variant struct {
	what string
	at   string // the pointer
	base any    // without the difference
	root any
}

// variants returns what a schema says about each value: the keywords it violates (isFault), or
// the values it allows.
func (p published) variants(isFault bool) (all []variant) {
	var walk func(node map[string]any, at string, build func(any) any)
	walk = func(node map[string]any, at string, build func(any) any) {
		whole := valid(node)
		values := allowed(node)
		if isFault {
			values = faults(node)
		}
		for _, what := range slices.Sorted(maps.Keys(values)) {
			all = append(all, variant{what, at, build(whole), build(values[what])})
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(items, at+"/0", func(v any) any { return build([]any{v}) })
		}
		properties, _ := node["properties"].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			walk(properties[key].(map[string]any), at+"/"+key, func(v any) any {
				object := maps.Clone(whole.(map[string]any))
				object[key] = v
				return build(object)
			})
		}
	}
	walk(p.raw, "", func(v any) any { return v })
	return all
}

// texts are strings of which at least one matches each pattern and format of the schema.
func texts() []string {
	return []string{
		"img/large-logo.svg", "", "Any text", "acme-app", "acme-clock-panel", ">=10.3.0", "2026-01-31", "%TODAY%", "1.2.3", "1.2.3-beta.1", "%VERSION%",
		"10.x.x 11.x.x", ">=9 =>10", "^9.0.0 || >=10", "9.x.x", "5.4+", "*", "Clock", "acme-clock-app/dial/v1", "dial",
		"team@example.com", "https://example.com",
	}
}

// valid returns a value with the required keys only.
func valid(node map[string]any) any {
	if values, ok := node["enum"].([]any); ok {
		return values[0]
	}
	switch node["type"] {
	case "object":
		object := map[string]any{}
		required, _ := node["required"].([]any)
		for _, key := range required {
			object[key.(string)] = valid(node["properties"].(map[string]any)[key.(string)].(map[string]any))
		}
		return object
	case "array":
		if items, ok := node["items"].(map[string]any); ok {
			return []any{valid(items)}
		}
		return []any{}
	case "number":
		return 15 // of milliseconds: hosts decode no fraction
	case "boolean":
		return true
	}
	for _, text := range texts() {
		if compileNode(node).Validate(text) == nil {
			return text
		}
	}
	panic("no text matches " + string(encoded(node)))
}

// faults returns values that violate each keyword of a node, by what is wrong.
func faults(node map[string]any) map[string]any {
	all := map[string]any{}
	for kind, value := range map[string]any{
		"a string": "img/large-logo.svg", "a number": 17, "a boolean": true, "null": nil, "an array": []any{}, "an object": map[string]any{},
	} {
		if !strings.HasSuffix(kind, node["type"].(string)) {
			all["type: "+kind] = value
		}
	}
	for _, keyword := range []string{"enum", "pattern", "format", "minLength"} {
		if node[keyword] == nil {
			continue
		}
		built := strings.NewReplacer("%VERSION%", "1.0.0", "%TODAY%", "2026-01-31")
		for _, text := range texts() {
			if compileNode(node).Validate(built.Replace(text)) != nil {
				all[keyword+": "+text] = text
			}
		}
	}
	if node["minItems"] != nil {
		all["minItems"] = []any{}
	}
	whole, _ := valid(node).(map[string]any)
	for key := range whole {
		less := maps.Clone(whole)
		delete(less, key)
		all["required: "+key] = less
	}
	if node["additionalProperties"] == false {
		more := maps.Clone(whole)
		more["zzz"] = true
		all["additionalProperties"] = more
	}
	return all
}

// allowed returns values that a node allows, by what they are.
func allowed(node map[string]any) map[string]any {
	all := map[string]any{"valid": valid(node)}
	candidates := []any{[]any{}, []any{"text"}, map[string]any{}, map[string]any{"zzz": true}, true, false, 0, -15, 1e9}
	if values, ok := node["enum"].([]any); ok {
		candidates = append(candidates, values...)
	}
	for _, text := range texts() {
		candidates = append(candidates, text)
	}
	if whole, ok := valid(node).(map[string]any); ok {
		more := maps.Clone(whole)
		more["zzz"] = 17
		candidates = append(candidates, more)
	}
	for _, value := range candidates {
		if compileNode(node).Validate(value) == nil {
			all[string(encoded(value))] = value
		}
	}
	return all
}

func compileNode(node map[string]any) *jsonschema.Schema {
	node = maps.Clone(node)
	delete(node, "$id")
	compiler := jsonschema.NewCompiler()
	compiler.Draft, compiler.AssertFormat = jsonschema.Draft7, true
	if err := compiler.AddResource("mem:///node.json", bytes.NewReader(encoded(node))); err != nil {
		panic(err)
	}
	return compiler.MustCompile("mem:///node.json")
}

func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}

// findingsOf validates a plugin.json in the profile grafana, with or without the preset catalog, in a
// tree with all the files it names.
func findingsOf(t *testing.T, data []byte, isCatalog bool) ([]validate.Finding, *bundle.Document) {
	t.Helper()
	doc := testkit.Must(bundle.ParseDocument(bundle.MetadataFile, data))(t)
	report := runWith(t, corpusTree(t, "plugin", data), validate.Options{Rules: All(), Profile: "grafana", IsCatalog: isCatalog})
	return report.Findings, doc
}

// TestPublishedFaults derives a plugin.json for each way to violate a keyword of the published
// schema, and requires an error in the preset catalog, and an error or a warning by default, at the place
// that the valid one does not have.
func TestPublishedFaults(t *testing.T) {
	t.Parallel()
	schema := readPublished(t)
	variants := schema.variants(true)
	missed := 0
	for _, v := range variants {
		for _, isCatalog := range []bool{false, true} {
			known := map[[3]string]bool{}
			before, doc := findingsOf(t, encoded(v.base), isCatalog)
			if !schema.accepts(doc) {
				t.Fatalf("the published schema rejects %s", doc.Data)
			}
			for _, f := range before {
				known[[3]string{f.Rule, f.Pointer, string(f.Severity)}] = true
			}
			after, doc := findingsOf(t, encoded(v.root), isCatalog)
			if schema.accepts(doc) {
				t.Errorf("%s: %s: the published schema accepts it", v.at, v.what)
			}
			if !slices.ContainsFunc(after, func(f validate.Finding) bool {
				isSerious := f.Severity == validate.Error || f.Severity == validate.Warning && !isCatalog
				return isSerious && !known[[3]string{f.Rule, f.Pointer, string(f.Severity)}] && (f.Pointer == v.at || strings.HasPrefix(f.Pointer, v.at+"/"))
			}) {
				missed++
				t.Errorf("%s: %s: catalog %t: no finding in %s", v.at, v.what, isCatalog, encoded(v.root))
			}
		}
	}
	if len(variants) < 900 {
		t.Errorf("derived only %d faults", len(variants))
	}
	t.Logf("%d faults derived from the published schema, %d without a finding", len(variants), missed)
}

// beyondPublished returns the reason why a rule reports an error that the published schema does
// not know, or "".
func beyondPublished(rule string) string {
	return map[string]string{
		"path-missing":                   "the contract: paths are of files of the plugin",
		"path-absolute":                  "the contract: paths are of files of the plugin",
		"dependency-self":                "no host can install a plugin before itself",
		"dependency-unknown-type":        "the dependency is in the same tree and has another type",
		"alerting-needs-backend":         `the contract: "alerting" requires "backend"`,
		"backend-needs-executable":       `the contract: the host starts <executable>_<os>_<arch>`,
		"role-action-prefix":             "the contract: every action of a role must start with the plugin id",
		"executable-without-backend":     "the catalog reports it",
		"id-type-suffix":                 "the catalog reports it",
		"name-equals-id":                 "the catalog reports it",
		"license-kind":                   "about another file, which the tree has with any text",
		"package-json-missing":           "about another file, which the tree does not have",
		"build-tooling":                  "about other files, which the tree does not have",
		"go-sdk":                         "about another file, which the tree does not have",
		"min-version-roles":              "the contract: roles require 9.4.0",
		"min-version-health-diagnostics": "the contract: healthDiagnosticsErrors requires 7.5.5",
	}[rule]
}

// TestPublishedAccepts requires that what the published schema accepts has no error, apart from
// those of beyondPublished: what it allows for each value, and the files of real plugins.
func TestPublishedAccepts(t *testing.T) {
	t.Parallel()
	schema := readPublished(t)
	type sample struct {
		name string
		data []byte
	}
	var samples []sample
	for _, v := range schema.variants(false) {
		samples = append(samples, sample{v.at + ": " + v.what, encoded(v.root)})
	}
	derived := len(samples)
	if derived < 500 {
		t.Errorf("derived only %d plugin.json files", derived)
	}
	for _, file := range corpusFiles(t) {
		data := testkit.Must(os.ReadFile(file))(t)
		samples = append(samples, sample{filepath.Base(file), data})
	}
	accepted := 0
	for i, s := range samples {
		for _, isCatalog := range []bool{false, true} {
			findings, doc := findingsOf(t, s.data, isCatalog)
			if !schema.accepts(doc) {
				if i < derived {
					t.Errorf("%s: the published schema rejects %s", s.name, s.data)
				}
				if len(findings) == 0 {
					t.Errorf("%s: the published schema rejects it, but there is no finding", s.name)
				}
				break
			}
			if !isCatalog {
				accepted++
			}
			for _, f := range findings {
				if f.Severity == validate.Error && beyondPublished(f.Rule) == "" {
					t.Errorf("%s: catalog %t: the published schema accepts it, but: %s %s: %s", s.name, isCatalog, f.Rule, f.Pointer, f.Message)
				}
			}
		}
	}
	t.Logf("%d of %d plugin.json files accepted by the published schema, %d of them derived from it", accepted, len(samples), derived)
}
