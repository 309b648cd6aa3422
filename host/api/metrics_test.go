package api_test

import (
	"strings"
	"testing"
)

func TestMetrics(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	f.do("GET", "/api/playlists/none", f.viewer, "")
	f.do("GET", "/api/playlists/none-either", f.viewer, "")
	f.do("BREW", "/no/such/path", f.viewer, "")
	f.do("GET", "/api/plugins/"+pluginID+"/resources/x", f.viewer, "")
	f.do("GET", "/api/plugins/"+pluginID+"/resources/fail", f.viewer, "")
	got := f.do("GET", "/metrics", "", "")
	for _, line := range []string{
		`slipway_http_request_duration_seconds_count{method="GET",route="/api/playlists/{uid}",status="404"} 2`,
		`slipway_http_request_duration_seconds_count{method="other",route="/",status="404"} 1`,
		`slipway_http_requests_running 1`,
		`slipway_backend_restarts_total{plugin="acme-test-datasource"} 0`,
		`slipway_backend_running{plugin="acme-test-datasource"} 1`,
		`slipway_plugin_call_duration_seconds_count{kind="resource",plugin="acme-test-datasource"} 2`,
		`slipway_plugin_call_duration_seconds_bucket{kind="resource",plugin="acme-test-datasource",le="60"} 2`,
		`slipway_plugin_call_errors_total{kind="resource",plugin="acme-test-datasource",source="plugin"} 1`,
		`slipway_plugin_call_errors_total{kind="resource",plugin="acme-test-datasource",source="downstream"} 0`,
		`slipway_plugin_calls_running{plugin="acme-test-datasource"} 0`,
		`slipway_plugin_log_records_dropped_total{plugin="acme-test-datasource"} 0`,
		`process_resident_memory_bytes`,
	} {
		if !strings.Contains(got.body, line) {
			t.Errorf("the metrics do not contain %s:\n%s", line, got.body)
		}
	}
}
