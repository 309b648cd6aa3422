package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/api"
)

// Browsers send the width of a panel as the number of points, and old dashboards contain
// strings.
func TestQueryNumbers(t *testing.T) {
	t.Parallel()
	for fields, want := range map[string]string{
		``: "1s 100", `"maxDataPoints":null,"intervalMs":""`: "1s 100", `"maxDataPoints":0,"intervalMs":0`: "1s 100",
		`"maxDataPoints":848.25,"intervalMs":250.5`:             "250ms 848",
		`"maxDataPoints":"1092","intervalMs":"250"`:             "250ms 1092",
		`"intervalMs":0.5`:                                      "1ms 100",
		`"intervalMs":86400000,"maxDataPoints":1e3`:             "24h0m0s 1000",
		`"maxDataPoints":2147483647,"intervalMs":9223372036854`: "2562047h47m16.854s 2147483647",
		`"maxDataPoints":1e18`:                                  "queries[0].maxDataPoints: must be a number from 0 to 2147483647",
		`"maxDataPoints":-1`:                                    "queries[0].maxDataPoints: must be",
		`"maxDataPoints":"NaN"`:                                 "queries[0].maxDataPoints: must be",
		`"maxDataPoints":[]`:                                    "queries[0].maxDataPoints: must be",
		`"intervalMs":1e400`:                                    "queries[0].intervalMs: must be",
		`"intervalMs":"1m"`:                                     "queries[0].intervalMs: must be",
		`"intervalMs":-0.1`:                                     "queries[0].intervalMs: must be",
		`"refId":"` + strings.Repeat("r", 129) + `"`:            "queries[0].refId: must not be longer than 128 bytes",
		`"refId":"` + strings.Repeat("r", 128) + `"`:            "1s 100",
		`"refId":1`:            "queries[0]: refId: must be a string",
		`"timeRange":"now-1h"`: "queries[0]: timeRange: must be an object",
		`"queryType":7,"hide":"yes","resultAssertions":{},"key":1`: "1s 100",
	} {
		body := `{"queries":[{"datasource":"x"` + strings.TrimSuffix(","+fields, ",") + `}]}`
		queries, err := api.ParseQueries([]byte(body), time.UnixMilli(0))
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(queries[0].Interval, " ", queries[0].MaxDataPoints)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}
