package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/invopop/jsonschema"
)

// openAPI describes the route table in OpenAPI 3.1.
func (a *API) openAPI() (json.RawMessage, error) {
	paths := map[string]map[string]any{}
	for _, route := range a.Routes() {
		path := strings.ReplaceAll(route.Pattern, "...}", "}")
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		methods := []string{route.Method}
		if route.Method == "" {
			methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}
		}
		for _, method := range methods {
			paths[path][strings.ToLower(method)] = operationOf(route, method, path)
		}
	}
	problem := schemaOf(reflect.TypeFor[message](), false)
	return json.Marshal(map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{"title": "Slipway reference host", "version": a.Version,
			"description": "Playlists, folders, dashboards, data sources, service accounts and plugins."},
		"paths": paths,
		"components": map[string]any{
			"responses": map[string]any{"Error": content("The request failed. The message names the field, if one is invalid, and the reason.", problem)},
			"securitySchemes": map[string]any{
				"token":    map[string]any{"type": "http", "scheme": "bearer", "description": "Token of a service account, or API key."},
				"password": map[string]any{"type": "http", "scheme": "basic", "description": "Login and password of a user."},
			},
		},
	})
}

func operationOf(route Route, method, path string) map[string]any {
	operation := map[string]any{
		"operationId": operationID(method, path),
		"summary":     route.Doc.Summary,
		"tags":        []string{strings.Split(strings.TrimPrefix(strings.TrimPrefix(path, "/"), "api/"), "/")[0]},
		"parameters":  parametersOf(route),
	}
	if route.Permission.kind != everyone {
		operation["security"] = []map[string][]string{{"token": {}}, {"password": {}}}
		operation["x-permission"] = map[string]any{"anyOf": append([]string{}, route.Permission.actions...), "scope": route.Permission.scope}
	}
	if route.Doc.IsDeprecated {
		operation["deprecated"] = true
	}
	if t := route.Handler.body(); t != nil {
		media := map[string]any{"application/json": map[string]any{"schema": schemaOf(t, true)}}
		operation["requestBody"] = map[string]any{"required": true, "content": media}
	}
	status := strconv.Itoa(max(route.Doc.Status, http.StatusOK))
	responses := map[string]any{
		status:    map[string]any{"description": "Success."},
		"default": map[string]string{"$ref": "#/components/responses/Error"},
	}
	switch {
	case route.Handler.output != nil:
		schema := schemaOf(route.Handler.output, false)
		responses[status] = content("Success.", schema)
		if route.Doc.Also != 0 {
			responses[strconv.Itoa(route.Doc.Also)] = content("The response reports a failure.", schema)
		}
	case route.Doc.Media != "":
		responses[status] = map[string]any{"description": "Success.", "content": map[string]any{route.Doc.Media: map[string]any{}}}
	}
	operation["responses"] = responses
	return operation
}

func content(description string, schema *jsonschema.Schema) map[string]any {
	return map[string]any{"description": description, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
}

// operationID returns the method and the words of the path, as in getPlaylistsUidItems.
func operationID(method, path string) string {
	id := strings.ToLower(method)
	for _, word := range strings.FieldsFunc(strings.TrimPrefix(path, "/api"), func(r rune) bool { return !unicode.IsLetter(r) }) {
		id += strings.ToUpper(word[:1]) + word[1:]
	}
	return id
}

func parametersOf(route Route) []map[string]any {
	parameters := []map[string]any{}
	for segment := range strings.SplitSeq(route.Pattern, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			name = strings.TrimSuffix(strings.TrimSuffix(name, "}"), "...")
			parameters = append(parameters, map[string]any{"name": name, "in": "path", "required": true,
				"schema": map[string]any{"type": "string"}})
		}
	}
	for _, in := range route.Handler.inputs {
		if in.from != "query" {
			continue
		}
		schema := map[string]any{"type": "string"}
		switch in.field.Type.Kind() {
		case reflect.Int64:
			schema = map[string]any{"type": "integer", "minimum": 0}
		case reflect.Bool:
			schema = map[string]any{"type": "boolean"}
		case reflect.Slice:
			schema = map[string]any{"type": "array", "items": schema}
		}
		parameters = append(parameters, map[string]any{"name": in.name, "in": "query", "schema": schema})
	}
	return parameters
}

// schemaOf returns the JSON Schema of a type. In a request, only the fields whose tags require
// it must be present, and others may be added. A response has all its fields and no others.
func schemaOf(t reflect.Type, isRequest bool) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, RequiredFromJSONSchemaTags: isRequest, AllowAdditionalProperties: isRequest}
	schema := r.ReflectFromType(t)
	schema.Version = "" // OpenAPI determines it
	return schema
}
