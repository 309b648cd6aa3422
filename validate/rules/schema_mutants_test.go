package rules

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/validate/schema"
)

// schemaMutants violates the schema of every key in every possible way.
func schemaMutants(t *testing.T) (all []mutant) {
	root := mustSchema()
	seen := map[string]bool{}
	for _, file := range []string{bundle.MetadataFile, datasourceFile, panelFile} {
		data := map[string]string{bundle.MetadataFile: completeApp, datasourceFile: completeDatasource, panelFile: completePanel}[file]
		doc := testkit.Must(bundle.ParseDocument(file, []byte(data)))(t)
		for _, pointer := range doc.Pointers() {
			node, generic := nodeAt(root, pointer)
			if node == nil || pointer == "" || seen[generic] {
				continue
			}
			seen[generic] = true
			all = append(all, breakProperty(file, pointer, node, doc)...)
		}
	}
	walkSchema(root, "", func(generic string) {
		if !seen[generic] {
			t.Errorf("the complete plugin does not use %s", generic)
		}
	})
	return all
}

// breakProperty returns the mutants of one key.
func breakProperty(file, pointer string, node map[string]any, doc *bundle.Document) (all []mutant) {
	add := func(what string, mutate func(*plugin), rule, at, target string) {
		if strings.HasPrefix(pointer, "/generated") {
			rule = "generated-invalid"
		}
		all = append(all, mutant{name: what + strings.ReplaceAll(pointer, "/", "."), file: file, mutate: mutate, rule: rule, at: at, what: target})
	}
	kind := node["type"].(string)
	wrong := map[string]any{"string": 17, "boolean": "true", "number": "7", "object": raw("[1]"), "array": raw(`{"a": 1}`)}[kind]
	at := "value"
	if kind == "object" || kind == "array" {
		at = "key" // the position of a large value is that of its key
	}
	add("wrong type ", setIn(file, pointer, wrong), "wrong-type", at, pointer)
	add("null ", setIn(file, pointer, nil), "wrong-type", "value", pointer)
	if node["minLength"] != nil {
		add("empty ", setIn(file, pointer, ""), "required-field", "value", pointer)
	}
	if node["enum"] != nil {
		rule := "enum-value"
		if dependencyType.MatchString(pointer) {
			rule = "dependency-unknown-type"
		}
		add("unlisted ", setIn(file, pointer, "zzz"), rule, "value", pointer)
	}
	if node["additionalProperties"] == false {
		add("unknown in ", setIn(file, pointer+"/zzz", true), "unknown-field", "key", pointer+"/zzz")
	}
	in, key := schema.Parent(pointer)
	if around, _ := nodeAt(mustSchema(), in); around != nil {
		if required, _ := around["required"].([]any); slices.Contains(required, any(key)) {
			add("no ", removeIn(file, pointer), "required-field", "parent", pointer)
		}
	}
	return all
}

func mustSchema() map[string]any {
	text, err := schema.JSON("service")
	if err != nil {
		panic(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		panic(err)
	}
	return root
}

// nodeAt returns the schema of the value at a pointer, or nil if there is none, and the
// pointer without indexes.
func nodeAt(root map[string]any, pointer string) (node map[string]any, generic string) {
	node = root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if token == "" || node == nil {
			continue
		}
		if items, ok := node["items"].(map[string]any); ok {
			node, generic = items, generic+"[]"
			continue
		}
		properties, _ := node["properties"].(map[string]any)
		node, _ = properties[bundle.UnescapePointer(token)].(map[string]any)
		generic = path.Join(generic, token)
	}
	return node, generic
}

func walkSchema(node map[string]any, generic string, visit func(string)) {
	if items, ok := node["items"].(map[string]any); ok {
		visit(generic + "[]")
		walkSchema(items, generic+"[]", visit)
	}
	properties, _ := node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		visit(path.Join(generic, name))
		walkSchema(properties[name].(map[string]any), path.Join(generic, name), visit)
	}
}
