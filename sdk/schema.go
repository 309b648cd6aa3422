package sdk

import (
	"encoding"
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// SettingsSchemaPath is the path of the resource at which a plugin with instances publishes
// [Plugin.SettingsSchema].
const SettingsSchemaPath = "/.well-known/settings.schema.json"

// schema is a JSON Schema.
type schema struct {
	Dialect     string             `json:"$schema,omitempty"`
	Type        string             `json:"type,omitempty"`
	Description string             `json:"description,omitempty"`
	Minimum     *int               `json:"minimum,omitempty"`
	WriteOnly   bool               `json:"writeOnly,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
}

func (s *schema) add(name string, property *schema, isRequired bool) {
	s.Properties[name] = property
	if isRequired {
		s.Required = append(s.Required, name)
	}
}

// settingsSchema returns the JSON Schema of what DecodeSettings reads into a type: an object
// with the members jsonData and secureJsonData. It returns nil for types other than
// structs.
func settingsSchema(t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	secrets := &schema{Type: "object", Properties: map[string]*schema{}}
	visible := structSchema(t, secrets, nil)
	text, err := json.Marshal(schema{
		Dialect: "https://json-schema.org/draft/2020-12/schema", Type: "object",
		Properties: map[string]*schema{"jsonData": visible, "secureJsonData": secrets},
	})
	if err != nil {
		return nil // cannot happen: a schema has only strings, numbers and booleans
	}
	return text
}

// structSchema describes a struct. It adds the fields with a secret tag to secrets. The
// schema of a type within itself has no members.
func structSchema(t reflect.Type, secrets *schema, within []reflect.Type) *schema {
	s := &schema{Type: "object", Properties: map[string]*schema{}}
	if slices.Contains(within, t) {
		return s
	}
	within = append(slices.Clip(within), t)
	embedded := map[string]bool{} // names of properties that a field of the struct itself replaces
	for field := range t.Fields() {
		isRequired, description := field.Tag.Get("required") == "true", field.Tag.Get("description")
		if name, isSecret := field.Tag.Lookup("secret"); isSecret {
			secrets.add(name, &schema{Type: "string", Description: description, WriteOnly: true}, isRequired)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" && options == "":
		case field.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			promoted := structSchema(inner, secrets, within)
			for _, name := range slices.Sorted(maps.Keys(promoted.Properties)) {
				if _, isShadowed := s.Properties[name]; !isShadowed {
					s.add(name, promoted.Properties[name], slices.Contains(promoted.Required, name))
					embedded[name] = true
				}
			}
		case field.IsExported():
			property := typeSchema(inner, secrets, within)
			if strings.Contains(options, "string") {
				property = &schema{Type: "string"}
			}
			property.Description = description
			name := jsonName(field)
			if embedded[name] {
				s.Required = slices.DeleteFunc(s.Required, func(other string) bool { return other == name })
				delete(embedded, name)
			}
			s.add(name, property, isRequired)
		}
	}
	return s
}

// typeSchema describes what encoding/json decodes into a type.
func typeSchema(t reflect.Type, secrets *schema, within []reflect.Type) *schema {
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return &schema{Type: "string"}
	case pointer.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return &schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &schema{Type: "integer", Minimum: new(int)}
	case reflect.Float32, reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Pointer:
		return typeSchema(t.Elem(), secrets, within)
	case reflect.Slice, reflect.Array:
		if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string"} // base64
		}
		if slices.Contains(within, t) {
			return &schema{Type: "array"}
		}
		return &schema{Type: "array", Items: typeSchema(t.Elem(), &schema{Properties: map[string]*schema{}}, append(slices.Clip(within), t))}
	case reflect.Map:
		return &schema{Type: "object"}
	case reflect.Struct:
		return structSchema(t, secrets, within)
	}
	return &schema{}
}

// schemaResponse is the response to a request for the schema.
func schemaResponse(text json.RawMessage) *pluginv2.CallResourceResponse {
	return &pluginv2.CallResourceResponse{
		Code: http.StatusOK, Body: text,
		Headers: map[string]*pluginv2.StringList{"Content-Type": {Values: []string{"application/schema+json"}}},
	}
}
