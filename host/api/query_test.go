package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// queryResult is a result in a response of POST /api/ds/query.
type queryResult struct {
	Status             int
	Error, ErrorSource string
	Frames             []struct {
		Schema struct {
			RefID  string
			Fields []struct{ Name string }
		}
		Data struct{ Values [][]any }
	}
}

// query sends a body and returns the results.
func (f *fixture) query(t *testing.T, status int, who, target, body string) map[string]queryResult {
	t.Helper()
	got := f.do("POST", target, who, body)
	if got.status != status {
		t.Fatalf("%s: %d %s, want %d", body, got.status, got.body, status)
	}
	return decoded[struct{ Results map[string]queryResult }](t, got.body).Results
}

// told returns what the plugin was told about a query, or the error.
func (r queryResult) told() string {
	if r.Error != "" {
		return fmt.Sprint(r.Status, " ", r.Error)
	}
	return fmt.Sprint(r.Frames[0].Data.Values[0][0])
}

// Frontends of all generations refer to data sources in different ways. One request can
// contain all of them.
func TestQuerySources(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	for _, name := range []string{"first", "second"} {
		want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"the %s","uid":%[1]q,"type":%q}`, name, pluginID))
	}
	id := int64(want[object](t, f, 200, "GET", "/api/datasources/uid/second", f.admin, "")["id"].(float64))
	for fields, expected := range map[string]string{
		`"datasource":{"uid":"second","type":"whatever"}`:                                    "second 0 1 1s 100",
		`"datasource":{"type":"` + pluginID + `"}`:                                           "first 0 1 1s 100",
		`"datasource":{"uid":"` + pluginID + `"}`:                                            "first 0 1 1s 100",
		`"datasource":"second"`:                                                              "second 0 1 1s 100",
		`"datasource":"the second"`:                                                          "second 0 1 1s 100",
		`"datasource":{"uid":"the second"}`:                                                  "second 0 1 1s 100",
		fmt.Sprintf(`"datasourceId":%d`, id):                                                 "second 0 1 1s 100",
		fmt.Sprintf(`"datasourceId":"%d","datasource":null`, id):                             "second 0 1 1s 100",
		fmt.Sprintf(`"datasource":{"id":%d}`, id):                                            "second 0 1 1s 100",
		fmt.Sprintf(`"datasource":%d`, id):                                                   "second 0 1 1s 100",
		fmt.Sprintf(`"datasource":{"uid":"first"},"datasourceId":%d`, id):                    "first 0 1 1s 100",
		fmt.Sprintf(`"datasource":{"type":"x"},"datasourceId":%d`, id):                       "second 0 1 1s 100",
		fmt.Sprintf(`"datasource":{"id":null,"type":"x"},"datasourceId":%d`, id):             "second 0 1 1s 100",
		`"datasource":{"uid":"first"},"datasourceId":"x"`:                                    "first 0 1 1s 100",
		`"datasource":{"uid":"first"},"datasourceId":-100`:                                   "first 0 1 1s 100",
		`"datasource":{"uid":"second"},"timeRange":{"from":"1970-01-01","to":"2.5"}`:         "second 0 2 1s 100",
		`"datasource":{"uid":"second"},"maxDataPoints":848.25,"intervalMs":"250.5"`:          "second 0 1 250ms 848",
		`"datasource":{"uid":"second"},"cacheTimeout":"1","queryCachingTTL":1,"panelId":"x"`: "second 0 1 1s 100",
		`"datasource":{"uid":"${ds}"}`:                                                       `404 data source "${ds}" not found: variables exist only in browsers; send the uid that it stands for`,
		`"datasourceId":99`:                                                                  `404 data source "99" not found`,
	} {
		body := `{"from":0,"to":"1","range":{"raw":{}},"debug":true,"queries":[{"refId":"A","queryType":"told",` + fields + `}]}`
		status := 200
		if strings.HasPrefix(expected, "404") {
			status = 207
		}
		if got := f.query(t, status, f.viewer, "/api/ds/query?ds_type=x&expression=true&requestId=Q100", body)["A"].told(); got != expected {
			t.Errorf("%s: %s, want %s", fields, got, expected)
		}
	}
	for fields, expected := range map[string]string{
		`"datasource":{"uid":"-- Mixed --"}`: "exists only in browsers", `"datasource":"-- Dashboard --"`: "exists only in browsers",
		`"datasource":null`: "is required", `"datasource":{}`: "is required", `"datasource":{"uid":3}`: "uid: must be a string",
		`"datasourceId":"x"`: "queries[0].datasourceId: must be the id", `"datasource":true`: "queries[0].datasource: must be the id", `"datasourceId":1.5`: "must be the id",
	} {
		if got := f.do("POST", "/api/ds/query", f.viewer, `{"queries":[{`+fields+`}]}`); got.status != 400 || !strings.Contains(got.message(), expected) {
			t.Errorf("%s: %d %s", fields, got.status, got.message())
		}
	}
}

// Responses that no query asked for are passed on, but never take the place of another.
func TestStrayResponses(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	results := f.query(t, 207, f.viewer, "/api/ds/query", `{"queries":[{"refId":"A","queryType":"stray","datasource":"`+pluginID+`"},{"refId":"B","datasource":{"type":"`+pluginID+`"}}]}`)
	if results["other"].Error != "told elsewhere" || results["A"].Error != "" || results["B"].Status != 200 || len(results) != 3 {
		t.Errorf("%+v", results)
	}
	texts := api.Merge("A", "B", sdk.QueryDataResponse{"B": {Status: 200}, "": {Status: 500, Err: &sdk.Error{Message: "no such table"}}})
	want := map[string]string{"B": "", "": "no such table", "A": `the plugin sent no response to this query, but sent the error "no such table" for ""`}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
}

// Plugins leave out queries that are empty or match nothing.
func TestMissingResponses(t *testing.T) {
	t.Parallel()
	texts := api.Merge("A", "B", sdk.QueryDataResponse{"B": {Status: 200}})
	if diff := cmp.Diff(map[string]string{"A": "", "B": ""}, texts); diff != "" {
		t.Error(diff)
	}
}

// What a plugin sends for other queries is not repeated in full.
func TestManyStrayResponses(t *testing.T) {
	t.Parallel()
	responses := sdk.QueryDataResponse{}
	for n := range 1000 {
		responses[fmt.Sprintf("%d%s", n, strings.Repeat("r", 1000))] = sdk.DataResponse{Status: 500, Err: &sdk.Error{Message: strings.Repeat("m", 10_000)}}
	}
	if got := api.Merge("A", "B", responses)["A"]; len(got) > 1000 || strings.Count(got, "but sent") != 1 {
		t.Errorf("%d bytes: %.1000s", len(got), got)
	}
}

// A few bytes of booleans must not take any amount of memory.
func TestManyValues(t *testing.T) {
	t.Parallel()
	half := frame.New("", frame.Of("on", make([]bool, gate.MaxFrameCells/2+1)))
	one := func(refID string) sdk.QueryDataResponse {
		return sdk.QueryDataResponse{refID: {Status: 200, Frames: []sdk.Frame{half}}}
	}
	if got := api.Merge("A", "B", one("A"))["A"]; got != "" {
		t.Errorf("within the bound: %s", got)
	}
	both := one("A")
	both["B"] = both["A"]
	if got := api.Merge("A", "B", both); got["A"] != "" || !strings.Contains(got["B"], fmt.Sprintf("at most %d values", gate.MaxFrameCells)) {
		t.Errorf("above the bound: %q", got)
	}
}

// The data source that every host has needs no plugin.
func TestBuiltinDataSource(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, source := range []string{`{"type":"datasource","uid":"grafana"}`, `{"uid":"-- Grafana --"}`, `"-- Grafana --"`, `"grafana"`, `{"type":"datasource"}`, `-1`} {
		results := f.query(t, 200, f.viewer, "/api/ds/query", `{"from":"now-1h","to":"now","queries":[{"refId":"W","datasource":`+source+`,"queryType":"randomWalk"}]}`)
		if frames := results["W"].Frames; len(frames) != 1 || frames[0].Schema.RefID != "W" || len(frames[0].Data.Values) != 2 || len(frames[0].Data.Values[0]) != 100 {
			t.Errorf("%s: %+v", source, results)
		}
	}
	refused := f.query(t, 207, f.viewer, "/api/ds/query", `{"queries":[{"datasource":"grafana","queryType":"search"}]}`)["A"]
	if refused.Status != 501 || refused.ErrorSource != "plugin" || !strings.Contains(refused.Error, "GET /api/search") {
		t.Errorf("search: %+v", refused)
	}
	token := testkit.Must(f.store.ReconcilePluginAccount(t.Context(), org, "acme-narrow", "test", []host.Grant{{Action: access.DatasourcesQuery, Scope: "datasources:uid:one"}}))(t)
	if got := f.query(t, 207, "Bearer "+token.Secret(), "/api/ds/query", `{"queries":[{"datasource":"grafana"}]}`)["A"]; got.Status != 403 {
		t.Errorf("a token for another data source: %+v", got)
	}
	if got := f.do("GET", "/api/datasources", f.admin, ""); got.body != "[]" {
		t.Errorf("it is listed: %s", got.body)
	}
}

// More data sources than are queried at the same time all respond.
func TestManySources(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	var queries []string
	for n := range 3 * gate.ParallelSources {
		want[object](t, f, 200, "POST", "/api/datasources", f.admin, fmt.Sprintf(`{"name":"ds%d","uid":"ds%[1]d","type":%q}`, n, pluginID))
		queries = append(queries, fmt.Sprintf(`{"refId":"Q%d","queryType":"told","datasource":"ds%[1]d"}`, n))
	}
	for range 3 {
		slices.Reverse(queries)
		results := f.query(t, 200, f.viewer, "/api/ds/query", `{"from":0,"to":1,"queries":[`+strings.Join(queries, ",")+`]}`)
		for n := range queries {
			if got := results[fmt.Sprintf("Q%d", n)].told(); !strings.HasPrefix(got, fmt.Sprintf("ds%d ", n)) {
				t.Errorf("Q%d: %s", n, got)
			}
		}
	}
}
