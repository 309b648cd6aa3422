package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/slipway-dev/slipway/host/api"
)

// described checks the traffic of all tests against the OpenAPI document.
type described struct {
	once   sync.Once
	mu     sync.Mutex
	c      *jsonschema.Compiler
	routes map[string]api.Route
	seen   map[string]bool // routes with a response that was checked
	err    error
}

var traffic described

func (d *described) load(a *api.API) {
	d.once.Do(func() {
		d.c, d.routes, d.seen = jsonschema.NewCompiler(), map[string]api.Route{}, map[string]bool{}
		d.c.Draft = jsonschema.Draft2020
		for _, route := range a.Routes() {
			d.routes[route.Method+" "+route.Pattern] = route
		}
		text, err := api.OpenAPI(a)
		if err == nil {
			err = d.c.AddResource("openapi.json", bytes.NewReader(text))
		}
		d.err = err
	})
}

// check returns an error if a successful request does not match the document.
func (d *described) check(a *api.API, r *http.Request, request string, got reply) error {
	d.load(a)
	d.mu.Lock()
	defer d.mu.Unlock()
	pattern := strings.TrimSuffix(r.Pattern, "/{$}")
	route, ok := d.routes[r.Method+" "+pattern]
	if d.err != nil || !ok || got.status >= 300 {
		return d.err
	}
	status := max(route.Doc.Status, 200)
	if got.status != status && got.status != route.Doc.Also {
		return fmt.Errorf("status %d is not documented", got.status)
	}
	at := "openapi.json#/paths/" + strings.ReplaceAll(pattern, "/", "~1") + "/" + strings.ToLower(r.Method)
	if api.HasOutput(route) {
		if err := d.validate(fmt.Sprintf("%s/responses/%d/content/application~1json/schema", at, status), got.body); err != nil {
			return fmt.Errorf("response: %w", err)
		}
	}
	if api.HasBody(route) {
		if err := d.validate(at+"/requestBody/content/application~1json/schema", request); err != nil {
			return fmt.Errorf("request: %w", err)
		}
	}
	d.seen[r.Method+" "+pattern] = true
	return nil
}

func (d *described) validate(schema, text string) error {
	s, err := d.c.Compile(schema)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err
	}
	if err := s.Validate(withoutNull(value)); err != nil {
		return fmt.Errorf("%#v in %s", err, text)
	}
	return nil
}

// unseen returns the routes without a response that was checked.
func (d *described) unseen() (names []string) {
	for name, route := range d.routes {
		if api.HasOutput(route) && !d.seen[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withoutNull removes null fields, which count as absent in requests.
func withoutNull(value any) any {
	if fields, ok := value.(map[string]any); ok {
		for name, field := range fields {
			if fields[name] = withoutNull(field); field == nil {
				delete(fields, name)
			}
		}
	}
	return value
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	doc := want[object](t, f, 200, "GET", "/api/openapi.json", "", "")
	if doc["openapi"] != "3.1.0" {
		t.Errorf("openapi: %v, want 3.1.0", doc["openapi"])
	}
	ids := map[string]string{}
	operations := 0
	for path, methods := range doc["paths"].(object) {
		for method, operation := range methods.(object) {
			operations++
			o := operation.(object)
			id, name := o["operationId"].(string), method+" "+path
			if other, ok := ids[id]; ok {
				t.Errorf("%s and %s have the same operationId %s", other, name, id)
			}
			ids[id] = name
			if o["summary"] == "" || strings.Count(path, "{") != strings.Count(fmt.Sprint(o["parameters"]), "in:path") {
				t.Errorf("%s: %v", name, o)
			}
		}
	}
	if routes := len(f.Routes()); operations < routes {
		t.Errorf("%d operations for %d routes", operations, routes)
	}
}
