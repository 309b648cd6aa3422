package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
)

// hostileBodies are sent to every route that reads a body. The message must contain
// field, which is "" if the body may be valid for some route.
func hostileBodies() []struct{ body, field string } {
	deep := strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)
	bodies := []struct{ body, field string }{
		{"", "body"}, {" ", "body"}, {"null", "body"}, {"[]", "body"}, {`"text"`, "body"}, {"1", "body"}, {"true", "body"},
		{"{", "body"}, {"}", "body"}, {`{"name":}`, "body"}, {`{"name":"x"} trailing`, "body"}, {`{"name":"x"}{}`, "body"},
		{"\xff", "body"}, {"{\"name\":\"\xff\"}", "body"}, {"\x00", "body"}, {"{\"a\":\"\x01\"}", "body"}, {"\ufeff{}", "body"},
		{deep, "body"}, {`{"x":` + strings.Repeat("[", 200_000), "body"}, {"{'name':'x'}", "body"},
		{`{"items":` + strings.Repeat(`[{"items":`, 5000) + `1`, "body"}, {`name=x&role=Viewer`, "body"},
	}
	for _, value := range []string{"1", "1e400", "-1", "true", "[]", "{}", `["x"]`, "1.5", "123456789012345678901234567890"} {
		bodies = append(bodies, struct{ body, field string }{`{"name":` + value + `,"title":` + value + `,"queries":` + value + `}`, ""})
	}
	return bodies
}

func TestHostileBodies(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, `{"name":"first","type":"x"}`)
	for _, route := range f.Routes() {
		if route.Method != "POST" && route.Method != "PUT" && route.Method != "PATCH" {
			continue
		}
		name := route.Method + " " + route.Pattern
		if !api.HasBody(route) {
			continue
		}
		target := target(route)
		if route.Pattern == "/api/datasources/{id}" { // it finds the data source before it reads the body
			target = "/api/datasources/1"
		}
		for _, h := range hostileBodies() {
			got := f.send(jsonRequest(route.Method, target, h.body), f.admin)
			if got.status < 400 || got.status > 499 || !strings.Contains(got.message(), h.field) {
				t.Errorf("%s %.40q: %d %.200s", name, h.body, got.status, got.body)
			}
		}
		big := f.send(jsonRequest(route.Method, target, `{"name":"`+strings.Repeat("x", 1<<20)+`"}`), f.admin)
		if big.status != 413 || !strings.Contains(big.message(), "1048576") {
			t.Errorf("%s with a large body: %d %s", name, big.status, big.body)
		}
		for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonx", "///", "application/json;;="} {
			r := httptest.NewRequest(route.Method, target, strings.NewReader(`{"name":"x"}`))
			r.Header.Set("Content-Type", contentType)
			if got := f.send(r, f.admin); got.status != 415 || !strings.Contains(got.message(), "Content-Type: application/json") {
				t.Errorf("%s with content type %q: %d %s", name, contentType, got.status, got.body)
			}
		}
	}
}

func jsonRequest(method, target, body string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	return r
}

// Errors name the field with the invalid value.
func TestWrongFields(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	uid := want[object](t, f, 200, "POST", "/api/playlists", f.editor, `{"name":"p","interval":"5m"}`)["uid"].(string)
	account := fmt.Sprint("/api/serviceaccounts/", want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"a"}`)["id"])
	items := func(list string) string { return `{"name":"p","interval":"5m","items":` + list + `}` }
	long := strings.Repeat("x", host.MaxNameLength+1)
	playlist := map[string]string{
		`{"interval":"5m"}`:                                                "name: is required",
		`{"name":"","interval":"5m"}`:                                      "name: is required",
		`{"name":null,"interval":"5m"}`:                                    "name: is required",
		`{"name":1,"interval":"5m"}`:                                       "name: must be a string, found a number",
		`{"name":["x"],"interval":"5m"}`:                                   "name: must be a string, found an array",
		`{"name":{"a":1},"interval":"5m"}`:                                 "name: must be a string, found an object",
		`{"name":"a\u0000b","interval":"5m"}`:                              "name: must not contain control characters",
		`{"name":"` + long + `","interval":"5m"}`:                          "name: must not be longer than 190 characters, found 191",
		`{"name":"p"}`:                                                     "interval: is required",
		`{"name":"p","interval":"banana"}`:                                 `interval: must be a positive integer and a unit (s, m, h, d, w, M), such as 5m, found "banana"`,
		`{"name":"p","interval":5}`:                                        "interval: must be a string, found a number",
		`{"name":"p","interval":false}`:                                    "interval: must be a string, found a boolean",
		items(`{}`):                                                        "items: must be an array, found an object",
		items(`"x"`):                                                       "items: must be an array, found a string",
		items(`[1]`):                                                       "items[0]: must be an object, found a number",
		items(`[{"type":"dashboard_by_tag","value":"x"},"x"]`):             "items[1]: must be an object, found a string",
		items(`[{}]`):                                                      "items[0].type",
		items(`[{"a":[{},{"b":1}],"type":1}]`):                             "items[0].type: must be a string",
		items(`[{"type":"nope","value":"1"}]`):                             "items[0].type",
		items(`[{"type":"dashboard_by_id","value":3}]`):                    "items[0].value: must be a string, found a number",
		items(`[{"type":"dashboard_by_id","value":"x"}]`):                  "items[0].value",
		items(`[{"type":"dashboard_by_id","value":"-1"}]`):                 "items[0].value",
		items(`[{"type":"dashboard_by_tag","value":""}]`):                  "items[0].value: is required",
		items(`[{"type":"dashboard_by_tag","value":"x","order":"1"}]`):     "items[0].order: must be a number, found a string",
		items(`[{"type":"dashboard_by_tag","value":"x","order":1.5}]`):     "items[0].order: must be an integer, found the number 1.5",
		items(`[{"type":"dashboard_by_tag","value":"x","order":-1}]`):      "items[0].order",
		items(`[{"type":"dashboard_by_tag","value":"x","order":1e99}]`):    "items[0].order",
		items(`[{"type":"dashboard_by_tag","value":"x","title":[]}]`):      "items[0].title: must be a string, found an array",
		items(`[{"type":"dashboard_by_tag","value":"x","playlistUid":1}]`): "items[0].playlistUid",
	}
	for _, c := range []struct {
		method, target string
		bodies         map[string]string
	}{
		{"POST", "/api/playlists", playlist},
		{"PUT", "/api/playlists/" + uid, playlist},
		{"POST", "/api/folders", map[string]string{
			`{}`: "title", `{"title":1}`: "title", `{"title":"x","uid":1}`: "uid", `{"title":"x","uid":"a b"}`: "uid",
		}},
		{"POST", "/api/auth/keys", map[string]string{
			`{}`: "role", `{"role":"Viewer"}`: "name", `{"name":"k","role":"Owner"}`: "role", `{"name":"k","role":1}`: "role",
			`{"name":"k","role":"Viewer","secondsToLive":"1"}`: "secondsToLive", `{"name":"k","role":"Viewer","timeToLive":30}`: "timeToLive",
			`{"name":"k","role":"Viewer","timeToLive":"31d"}`:        "timeToLive: must not be longer than 30 days",
			`{"name":"k","role":"Viewer","seconds_to_live":2592001}`: "seconds_to_live: must be from 0 to 2592000 seconds",
		}},
		{"POST", "/api/serviceaccounts", map[string]string{
			`{}`: "name", `{"name":"x","role":"Owner"}`: "role", `{"name":"x","isDisabled":"yes"}`: "isDisabled",
		}},
		{"PATCH", account, map[string]string{
			`{"name":""}`: "name", `{"name":2}`: "name", `{"role":"None"}`: "role", `{"isDisabled":1}`: "isDisabled",
		}},
		{"POST", account + "/tokens", map[string]string{
			`{}`: "name", `{"name":"t","secondsToLive":-1}`: "secondsToLive", `{"name":"t","seconds_to_live":-1}`: "seconds_to_live",
			`{"name":"t","secondsToLive":9223372036854775807}`: "secondsToLive", `{"name":"t","secondsToLive":1e30}`: "secondsToLive",
		}},
	} {
		for body, message := range c.bodies {
			got := f.send(jsonRequest(c.method, c.target, body), f.admin)
			if got.status != 400 || !strings.HasPrefix(got.message(), message) {
				t.Errorf("%s %s %.80s: %d %s, want %q", c.method, c.target, body, got.status, got.body, message)
			}
		}
	}
	if got := f.do("GET", "/api/playlists", f.viewer, ""); strings.Count(got.body, `"uid"`) != 1 {
		t.Errorf("playlists after the rejected requests: %s", got.body)
	}
}
