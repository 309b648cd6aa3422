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
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := c.get("/api/openapi.json", &document); err != nil {
		return nil, err
	}
	may, err := c.permissions()
	if err != nil {
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
				one.IsAllowed = len(one.Actions) == 0 || slices.ContainsFunc(one.Actions, may.MaySome)
			}
			if schema := o.RequestBody.Content["application/json"].Schema; schema != nil {
				s := schemas{document.Components.Schemas}
				one.Body, one.Schema = indentJSON(s.example(schema, 0)), indentJSON(s.inline(schema, 0))
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

// schemas resolves references between schemas.
type schemas struct{ known map[string]json.RawMessage }

// deepestSchema ends schemas that contain themselves.
const deepestSchema = 6

// schema is the part of a JSON Schema that an example is made from.
type schema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]json.RawMessage
	Items      json.RawMessage
	Enum       []any
}

func (s schemas) resolve(raw json.RawMessage) json.RawMessage {
	for range deepestSchema {
		var head struct {
			Ref string `json:"$ref"`
		}
		if json.Unmarshal(raw, &head) != nil || head.Ref == "" {
			return raw
		}
		raw = s.known[strings.TrimPrefix(head.Ref, "#/components/schemas/")]
	}
	return raw
}

// example returns a value that a schema describes.
func (s schemas) example(raw json.RawMessage, depth int) any {
	var d schema
	if depth > deepestSchema || json.Unmarshal(s.resolve(raw), &d) != nil { // true describes any value
		return map[string]any{}
	}
	if len(d.Enum) > 0 {
		return d.Enum[0]
	}
	switch d.Type {
	case "string":
		return ""
	case "integer", "number":
		return 0
	case "boolean":
		return false
	case "array":
		if d.Items == nil || depth == deepestSchema {
			return []any{}
		}
		return []any{s.example(d.Items, depth+1)}
	}
	object := map[string]any{}
	for name, property := range d.Properties {
		object[name] = s.example(property, depth+1)
	}
	return object
}

// inline returns a schema with its references replaced by what they refer to.
func (s schemas) inline(raw json.RawMessage, depth int) any {
	var value any
	if json.Unmarshal(s.resolve(raw), &value) != nil || depth > deepestSchema {
		return true
	}
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	var d schema
	if json.Unmarshal(s.resolve(raw), &d) == nil {
		for name, property := range d.Properties {
			object["properties"].(map[string]any)[name] = s.inline(property, depth+1)
		}
		if d.Items != nil {
			object["items"] = s.inline(d.Items, depth+1)
		}
	}
	return object
}
