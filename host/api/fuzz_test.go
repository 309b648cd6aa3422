package api_test

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzRequests sends bodies and queries to every route. Requests must never cause a 5xx
// status, and successful responses must match the OpenAPI document.
func FuzzRequests(f *testing.F) {
	for _, body := range []string{
		`{"name":"p","interval":"5m","items":[{"type":"dashboard_by_tag","value":"x","order":1}]}`,
		`{"uid":"u","title":"t"}`, `{"name":"k","role":"Viewer","timeToLive":"1h","secondsToLive":60}`,
		`{"dashboard":{"uid":"d","title":"x","tags":["a"],"version":1},"folderUid":"","overwrite":true}`,
		`{"name":"d","type":"x","jsonData":{},"secureJsonData":{"a":null},"url":"http://h"}`,
		`{"from":"now-1h","to":"now","queries":[{"refId":"A","datasource":{"uid":"x"},"intervalMs":1}]}`,
		`{"name":"t","seconds_to_live":1}`, `[]`, `{`, `null`,
	} {
		f.Add(body, "limit=1&page=2&query=x&tag=a&disabled=true")
	}
	h := newFixture(f)
	h.EndStreams() // a stream does not end by itself
	f.Fuzz(func(t *testing.T, body, query string) {
		for _, route := range h.Routes() {
			for _, credential := range []string{h.admin, h.plugin} {
				r := httptest.NewRequest(method(route), "/", strings.NewReader(body))
				r.URL.Path, r.URL.RawQuery = target(route), query
				r.Header.Set("Content-Type", "application/json")
				if got := h.send(r, credential); got.status >= 500 && got.status != 501 {
					t.Errorf("%s %s?%s %q: %d %s", r.Method, r.URL.Path, query, body, got.status, got.body)
				}
			}
		}
	})
}
