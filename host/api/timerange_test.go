package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestTimeRanges has the forms of "Time units and relative ranges" and of the tests of
// Grafana's SDK for Go, and what must be refused.
func TestTimeRanges(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 31, 15, 12, 56, 789e6, time.FixedZone("", 3600)) // a Tuesday, 14:12 in UTC
	for _, c := range []struct{ from, to, want string }{
		{``, ``, "2026-03-31T13:12:56.789Z 2026-03-31T14:12:56.789Z"},
		{`null`, `""`, "2026-03-31T13:12:56.789Z 2026-03-31T14:12:56.789Z"},
		{`"now-6h"`, `"now"`, "2026-03-31T08:12:56.789Z 2026-03-31T14:12:56.789Z"},
		{`1474973725473`, `"1474975757901"`, "2016-09-27T10:55:25.473Z 2016-09-27T11:29:17.901Z"},
		{`1474973725473.9`, `1.474975757901e12`, "2016-09-27T10:55:25.473Z 2016-09-27T11:29:17.901Z"},
		{`"-62135596"`, `0`, "1969-12-31T06:44:24.404Z 1970-01-01T00:00:00Z"},
		{`"1960-02-01T07:00:00.000Z"`, `"1965-02-03T08:00:00.5+02:00"`, "1960-02-01T07:00:00Z 1965-02-03T06:00:00.5Z"},
		{`"2026-01-31"`, `"2026-01-31 12:00:00"`, "2026-01-31T00:00:00Z 2026-01-31T12:00:00Z"},
		{`"2026-01-31T10:30"`, `"2026-01-31T12:00:00||+1M/d"`, "2026-01-31T10:30:00Z 2026-02-28T23:59:59.999Z"},
		{`"5m"`, `"now+3w"`, "2026-03-31T14:07:56.789Z 2026-04-21T14:12:56.789Z"},
		{`"7d"`, `"now-d"`, "2026-03-24T14:12:56.789Z 2026-03-30T14:12:56.789Z"},
		{`"now/s"`, `"now/s"`, "2026-03-31T14:12:56Z 2026-03-31T14:12:56.999Z"},
		{`"now/m"`, `"now/m"`, "2026-03-31T14:12:00Z 2026-03-31T14:12:59.999Z"},
		{`"now/h"`, `"now/H"`, "2026-03-31T14:00:00Z 2026-03-31T14:59:59.999Z"},
		{`"now/d"`, `"now"`, "2026-03-31T00:00:00Z 2026-03-31T14:12:56.789Z"},
		{`"now/d"`, `"now/d"`, "2026-03-31T00:00:00Z 2026-03-31T23:59:59.999Z"},
		{`"now-1d/d"`, `"now-1d/d"`, "2026-03-30T00:00:00Z 2026-03-30T23:59:59.999Z"},
		{`"now-1w/w"`, `"now-1w/w"`, "2026-03-23T00:00:00Z 2026-03-29T23:59:59.999Z"},
		{`"now/w"`, `"now/w"`, "2026-03-30T00:00:00Z 2026-04-05T23:59:59.999Z"},
		{`"now-1M/M"`, `"now-1M/M"`, "2026-02-01T00:00:00Z 2026-02-28T23:59:59.999Z"},
		{`"now-1M"`, `"now"`, "2026-02-28T14:12:56.789Z 2026-03-31T14:12:56.789Z"},
		{`"now-1Q/Q"`, `"now-1Q/Q"`, "2025-10-01T00:00:00Z 2025-12-31T23:59:59.999Z"},
		{`"now/Q"`, `"now+1Q"`, "2026-01-01T00:00:00Z 2026-06-30T14:12:56.789Z"},
		{`"now/y"`, `"now/Y"`, "2026-01-01T00:00:00Z 2026-12-31T23:59:59.999Z"},
		{`"now-1y/y"`, `"now-1y/y"`, "2025-01-01T00:00:00Z 2025-12-31T23:59:59.999Z"},
		{`"now/fQ"`, `"now/fQ"`, "2026-01-01T00:00:00Z 2026-03-31T23:59:59.999Z"},
		{`"now-1fy/fy"`, `"now-1fy/fy"`, "2025-01-01T00:00:00Z 2025-12-31T23:59:59.999Z"},
		{`"now-1w+1d/d-2h"`, `"now"`, "2026-03-24T22:00:00Z 2026-03-31T14:12:56.789Z"},

		{`"now"`, `"now-1h"`, "to: must not be before from"},
		{`"now-1h"`, `253402300799999`, "to: must be between the years 1678 and 2262"},
		{`"now-999999y"`, `"now"`, "from: must be between the years 1678 and 2262"},
		{`-1e300`, `"now"`, "from: must be between the years 1678 and 2262"},
		{`"yesterday"`, `"now"`, "from: must be milliseconds since 1970"},
		{`"now-"`, `"now"`, "from: must be"}, {`"now/"`, `"now"`, "from: must be"}, {`"now-1"`, `"now"`, "from: must be"},
		{`"now-1f"`, `"now"`, "from: must be"}, {`"now/fd"`, `"now"`, "from: must be"}, {`"now/1d"`, `"now"`, "from: must be"},
		{`"now-1x"`, `"now"`, "from: must be"}, {`"now-1000000000s"`, `"now"`, "from: must be"}, {`"5"`, `"6m7"`, "to: must be"},
		{`"."`, `"now"`, "from: must be"}, {`true`, `"now"`, "from: must be"}, {`{}`, `"now"`, "from: must be"}, {`[1]`, `"now"`, "from: must be"},
		{`"now` + strings.Repeat("-1s", 100) + `"`, `"now"`, "from: must be"}, {`"\u0000"`, `"now"`, "from: must be"},
	} {
		inQuery := fmt.Sprintf(`{"queries":[{"datasource":"x","timeRange":{%s}}]}`, members(c.from, c.to))
		inRequest := fmt.Sprintf(`{"queries":[{"datasource":"x"}]%s}`, strings.TrimSuffix(","+members(c.from, c.to), ","))
		for _, body := range []string{inRequest, inQuery} {
			var got string
			if queries, err := api.ParseQueries([]byte(body), now); err != nil {
				got = err.Error()
			} else {
				span := queries[0].TimeRange
				got = span.From.UTC().Format(time.RFC3339Nano) + " " + span.To.UTC().Format(time.RFC3339Nano)
			}
			want := c.want
			if body == inQuery && strings.Contains(want, ": must") {
				want = "queries[0].timeRange." + want
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", body, got, want)
			}
		}
	}
}

// members returns the members of an object with a time range; those that are "" are absent.
func members(from, to string) string {
	var list []string
	for name, value := range map[string]string{"from": from, "to": to} {
		if value != "" {
			list = append(list, fmt.Sprintf("%q:%s", name, value))
		}
	}
	return strings.Join(list, ",")
}

// The time range of a query replaces parts of that of the request.
func TestPartOfTimeRange(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1000)
	for rest, want := range map[string]string{`"from":2`: "2 20", `"to":15`: "10 15", `"from":null`: "10 20", ``: "10 20"} {
		queries := testkit.Must(api.ParseQueries(fmt.Appendf(nil, `{"from":10,"to":"20","queries":[{"datasource":"x","timeRange":{%s}}]}`, rest), now))(t)
		if got := fmt.Sprint(queries[0].TimeRange.From.UnixMilli(), queries[0].TimeRange.To.UnixMilli()); got != want {
			t.Errorf("%s: %s, want %s", rest, got, want)
		}
	}
}
