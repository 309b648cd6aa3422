package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// start runs the plugin with a fake shop that has one article, whose stock decreases with
// each request.
func start(t *testing.T) *sdktest.Kit {
	t.Helper()
	var sold atomic.Int64
	api := http.NewServeMux()
	api.HandleFunc("GET /v1/name", func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `"the corner shop"`)
	})
	stock := func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, 10-sold.Add(1)) }
	api.HandleFunc("GET /v1/articles/a%20cup/stock", stock)
	api.HandleFunc("GET /v1/articles/cup/stock", stock)
	api.HandleFunc("GET /v1/articles/a%20cup/sales", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `[{"time":"2026-01-02T11:30:00Z","price":4.5},{"time":"2026-01-01T00:00:00Z","price":4}]`)
	})
	service := httptest.NewServer(api)
	t.Cleanup(service.Close)
	k := sdktest.Start(t, sdk.DataSources(newShop).Plugin())
	k.Context.DataSource.URL = service.URL + "/v1"
	k.Context.DataSource.BasicAuth = true
	k.Context.DataSource.BasicAuthUser = "ann"
	k.Context.DataSource.JSON = []byte(`{"currency":"EUR","pollMs":100}`)
	k.Context.DataSource.Secrets = map[string]string{"basicAuthPassword": "hunter2"}
	return k
}

func TestQueries(t *testing.T) {
	t.Parallel()
	k := start(t)
	sdktest.Golden(t, "testdata/sales.json", k.Query(sdk.Query{Type: "sales", JSON: []byte(`{"article":"a cup"}`)}))
	sdktest.Golden(t, "testdata/stock.json", k.Query(sdk.Query{Type: "stock", JSON: []byte(`{"article":"a cup"}`)}))
	for query, want := range map[string]int{`{"article":"a saucer"}`: 404, `{}`: 400, `{"article":"../../name"}`: 400} {
		answer := k.Query(sdk.Query{Type: "stock", JSON: []byte(query)})
		if e, ok := errors.AsType[*sdk.Error](answer.Err); !ok || e.Status != want || e.Source != sdk.SourceDownstream {
			t.Errorf("%s: %v", query, answer.Err)
		}
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	k := start(t)
	if r := k.Health(); r.Status != sdk.HealthOK || r.Message != "connected to the corner shop" {
		t.Errorf("%+v", r)
	}
	k.Context.DataSource.Secrets = nil
	if r := k.Health(); r.Status != sdk.HealthError || r.Message != "the upstream service responded with 401 Unauthorized" {
		t.Errorf("with a wrong password: got %+v", r)
	}
	k.Context.DataSource.JSON = []byte(`{"pollMs":1}`)
	if r := k.Health(); !strings.Contains(r.Message, `"currency" is missing`) {
		t.Errorf("with invalid settings: got %+v", r)
	}
	k.Context.DataSource.JSON = []byte(`{"currency":"EUR"}`)
	k.Context.DataSource.URL = "http://127.0.0.1:1"
	if r := k.Health(); r.Message != "the upstream service refused the connection" {
		t.Errorf("without a shop: got %+v", r)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	k := start(t)
	packets, err := k.Stream("cup", 2)
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []int{8, 7} { // the subscription looked once
		var f struct{ Data struct{ Values [2][]int } }
		if err := json.Unmarshal(packets[n], &f); err != nil || len(f.Data.Values[1]) != 1 || f.Data.Values[1][0] != want {
			t.Errorf("%s, %v", packets[n], err)
		}
	}
	var e *sdk.Error
	if _, err := k.Stream("saucer", 1); !errors.As(err, &e) || e.Status != http.StatusNotFound {
		t.Errorf("%v", err)
	}
}
