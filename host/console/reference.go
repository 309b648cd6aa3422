package console

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// operation is a call of the API.
type operation struct {
	ID, Method, Path, Summary string
	Parameters                []parameter
	Actions                   []string // any of which is required
	Scope                     string
	IsPublic, IsDeprecated    bool
	IsAllowed                 bool   // to the caller
	Body                      string // a JSON example; "" without a body
	Schema                    string // JSON Schema of the body
}

type parameter struct {
	Name, In string
	Required bool
	Schema   struct{ Type string }
}

// group is the operations with a tag.
type group struct {
	Tag        string
	Operations []operation
}

// methods returns the HTTP methods in the order in which a page lists them.
func methods() []string { return []string{"get", "post", "put", "patch", "delete"} }

// reference loads the description of the API.
func reference(c *client) (any, error) {
	var document struct {
		Info  struct{ Title, Version, Description string }
		Paths map[string]map[string]struct {
			OperationID string
			Summary     string
			Tags        []string
			Deprecated  bool
			Parameters  []parameter
			Permission  *struct {
				AnyOf []string
				Scope string
			} `json:"x-permission"`
			RequestBody struct {
				Content map[string]struct{ Schema json.RawMessage }
			}
		}
	}
	if err := c.get("/api/openapi.json", &document); err != nil {
		return nil, err
	}
	byTag := map[string][]operation{}
	for _, path := range slices.Sorted(maps.Keys(document.Paths)) {
		for _, method := range methods() {
			o, ok := document.Paths[path][method]
			if !ok {
				continue
			}
			one := operation{ID: o.OperationID, Method: strings.ToUpper(method), Path: path, Summary: o.Summary, Parameters: o.Parameters,
				IsPublic: o.Permission == nil, IsDeprecated: o.Deprecated, IsAllowed: true}
			if o.Permission != nil {
				one.Actions, one.Scope = o.Permission.AnyOf, o.Permission.Scope
				one.IsAllowed = len(one.Actions) == 0 || slices.ContainsFunc(one.Actions, c.MaySome)
			}
			if schema := o.RequestBody.Content["application/json"].Schema; schema != nil {
				one.Body, one.Schema = indentJSON(example(schema)), indentJSON(schema)
			}
			tag := cmp.Or(strings.Join(o.Tags, ", "), "other")
			byTag[tag] = append(byTag[tag], one)
		}
	}
	var groups []group
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		groups = append(groups, group{tag, byTag[tag]})
	}
	return map[string]any{"Info": document.Info, "Groups": groups}, nil
}

// example returns a value that a JSON Schema describes.
func example(raw json.RawMessage) any {
	var schema struct {
		Type       any
		Properties map[string]json.RawMessage
		Items      json.RawMessage
		Enum       []any
	}
	if json.Unmarshal(raw, &schema) != nil { // true describes any value
		return map[string]any{}
	}
	if len(schema.Enum) > 0 {
		return schema.Enum[0]
	}
	switch schema.Type {
	case "string":
		return ""
	case "integer", "number":
		return 0
	case "boolean":
		return false
	case "array":
		if schema.Items == nil {
			return []any{}
		}
		return []any{example(schema.Items)}
	}
	object := map[string]any{}
	for name, property := range schema.Properties {
		object[name] = example(property)
	}
	return object
}
