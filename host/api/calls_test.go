package api_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/loader"
)

// Calls that hang end with 504 and the reason, and do not hold up another plugin.
func TestHangingCalls(t *testing.T) {
	t.Parallel()
	const other = "acme-other-datasource"
	limit := 5 * time.Second
	f := withPlugins(t, loader.Options{Limits: loader.Limits{Health: limit, Query: limit, Resource: limit, Calls: 50}}, pluginID, other)
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, `{"uid":"hangs","name":"h","type":"`+pluginID+`","url":"hang"}`)
	const query = `{"queries":[{"refId":"A","queryType":"hang","datasource":{"uid":"` + pluginID + `"}}]}`
	calls := []func() reply{
		func() reply { return f.do("GET", "/api/plugins/"+pluginID+"/resources/hang", f.viewer, "") },
		func() reply { return f.do("GET", "/api/datasources/uid/hangs/health", f.viewer, "") },
		func() reply { return f.do("POST", "/api/ds/query", f.viewer, query) },
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	statuses := map[string]int{}
	for n := range 50 {
		group.Go(func() {
			got := calls[n%len(calls)]()
			for strings.Contains(got.body, "are in progress") { // the call below was first
				got = calls[n%len(calls)]()
			}
			mu.Lock()
			defer mu.Unlock()
			statuses[fmt.Sprintf("%d %v", got.status, strings.Contains(got.body, pluginID+" did not respond within 5s"))]++
		})
	}
	// Once all of them hang, one more call is refused at once.
	busy := reply{}
	for busy.status != 503 {
		busy = f.do("GET", "/api/plugins/"+pluginID+"/resources/x", f.viewer, "")
	}
	if !strings.Contains(busy.body, "50 calls to "+pluginID+" are in progress") || busy.header.Get("Retry-After") == "" {
		t.Errorf("a call beyond the limit: %+v", busy)
	}
	for _, path := range []string{"/health", "/resources/x"} {
		f.check(t, "another plugin", 200, "GET", "/api/plugins/"+other+path, f.viewer, "")
	}
	mu.Lock()
	ended := 0
	for _, n := range statuses {
		ended += n
	}
	if ended == 50 {
		t.Errorf("another plugin was served only after the calls had ended: %v", statuses)
	}
	mu.Unlock()
	group.Wait()
	if statuses["504 true"] != 34 || statuses["207 true"] != 16 { // a failed query is part of a response with 207
		t.Errorf("statuses of 50 hanging calls: %v", statuses)
	}
	f.check(t, "after the calls have ended", 200, "GET", "/api/plugins/"+pluginID+"/resources/x", f.viewer, "")
}

// Mounted plugins that break the contract are listed with what they lack.
func TestUnmetRequirements(t *testing.T) {
	t.Parallel()
	f := withMounted(t, `{"id":"acme-a-app","type":"app","info":{"version":"1.0.0"},"dependencies":{"serviceDependency":">=99",
		"plugins":[{"id":"acme-none-panel"},{"id":"acme-a-app","version":"^2.0.0"}]}}`, loader.Options{HostVersion: "10.4.2"})
	var reasons []string
	for _, p := range want[[]object](t, f, 200, "GET", "/api/plugins/errors", f.admin, "") {
		reasons = append(reasons, fmt.Sprintf("%s %s %s %s", p["stage"], p["errorCode"], p["pluginId"], p["reason"]))
		if p["help"] == "" || p["since"] == "" || p["path"] == "" {
			t.Errorf("incomplete: %v", p)
		}
	}
	if page := want[[]object](t, f, 200, "GET", "/api/plugins/errors?limit=3&page=2", f.admin, ""); len(page) != 1 || !strings.HasSuffix(reasons[3], page[0]["reason"].(string)) {
		t.Errorf("second page of three: %v", page)
	}
	expected := []string{
		"validate incomplete acme-a-app missing name, info.updated, info.keywords, info.logos, dependencies.plugins[0].name, dependencies.plugins[0].type, " +
			"dependencies.plugins[0].version, dependencies.plugins[1].name, dependencies.plugins[1].type",
		"resolve service-range acme-a-app requires version >=99 of the service, but this host reports 10.4.2",
		`resolve dependency-missing acme-a-app requires the plugin "acme-none-panel", which is not mounted`,
		`resolve dependency-range acme-a-app requires version ^2.0.0 of the plugin "acme-a-app", but version 1.0.0 is mounted`,
	}
	if diff := cmp.Diff(expected, reasons); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	f.check(t, "the plugin is not mounted", 200, "GET", "/api/plugins/acme-a-app/settings", f.admin, "")
}

// A message above the limit fails the call, and the plugin keeps serving.
func TestLargeMessages(t *testing.T) {
	t.Parallel()
	f := withPlugins(t, loader.Options{Limits: loader.Limits{Message: 4 << 20}}, pluginID)
	const base = "/api/plugins/" + pluginID + "/resources/large?bytes="
	huge := 500 << 20
	if testing.Short() {
		huge /= 10
		t.Logf("%d MiB instead of 500 because of -short", huge>>20)
	}
	for size, status := range map[int]int{0: 200, 1: 200, 4<<20 - 1000: 200, huge: 502} {
		got := f.do("GET", fmt.Sprint(base, size), f.viewer, "")
		if got.status != status || status == 200 && len(got.body) != size {
			t.Errorf("%d bytes: %d with %d bytes", size, got.status, len(got.body))
		}
		if status == 502 && !strings.Contains(got.body, "vs. 4194304)") {
			t.Errorf("%d bytes: %s", size, got.body)
		}
	}
	const query = `{"queries":[{"refId":"A","queryType":"large","datasource":{"uid":"` + pluginID + `"}}]}`
	got := f.do("POST", "/api/ds/query", f.viewer, query)
	if got.status != 207 || !strings.Contains(got.body, "vs. 4194304)") {
		t.Errorf("query: %d %.200s", got.status, got.body)
	}
}
