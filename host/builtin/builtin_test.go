package builtin_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/builtin"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// ask returns the response to one query.
func ask(q sdk.Query) sdk.DataResponse { return builtin.QueryData([]sdk.Query{q})[q.RefID] }

func query(refID, options string) sdk.Query {
	return sdk.Query{RefID: refID, Type: "randomWalk", JSON: json.RawMessage(options), Interval: time.Second, MaxDataPoints: 100,
		TimeRange: sdk.TimeRange{From: time.UnixMilli(0), To: time.UnixMilli(3_600_000)}}
}

// column returns the values of a field of a frame.
func column[T frame.Value](t *testing.T, f sdk.Frame, n int) []T {
	t.Helper()
	c, ok := f.(*frame.Frame).Fields[n].(*frame.Column[T])
	if !ok {
		t.Fatalf("field %d is a %T", n, f.(*frame.Frame).Fields[n])
	}
	return c.Values
}

func TestRandomWalk(t *testing.T) {
	t.Parallel()
	const options = `{"seriesCount":2,"startValue":50,"spread":20,"noise":5,"min":45,"max":55,"alias":"load","anything":"else"}`
	first := ask(query("A", options))
	if first.Err != nil || first.Status != 200 || len(first.Frames) != 2 {
		t.Fatalf("%+v", first)
	}
	names := ""
	for _, f := range first.Frames {
		names += f.(*frame.Frame).Name + " "
		times, values := column[time.Time](t, f, 0), column[float64](t, f, 1)
		if len(times) != 100 || times[0].UnixMilli() != 0 || times[1].UnixMilli() != 36_000 || len(values) != 100 {
			t.Errorf("%d times from %s, %d values", len(times), times[0], len(values))
		}
		isMoving := false
		for i, v := range values {
			isMoving = isMoving || v != values[0]
			if v < 45 || v > 55 {
				t.Errorf("value %d is %v", i, v)
			}
		}
		if !isMoving {
			t.Error("all values are the same")
		}
	}
	if names != "load load1 " {
		t.Errorf("names: %s", names)
	}
	if cmp.Equal(first, ask(query("A", options))) {
		t.Error("two walks are the same")
	}
	still := ask(query("B", `{"startValue":7,"spread":0}`)).Frames[0]
	if values := column[float64](t, still, 1); values[0] != 7 || values[99] != 7 {
		t.Errorf("without spread: %v", values)
	}
	if none := ask(query("B", `{"dropPercent":100}`)).Frames[0]; len(column[float64](t, none, 1)) != 0 {
		t.Error("all points were to be dropped")
	}
}

// The number of points follows the interval, but has bounds.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		interval time.Duration
		most     int64
		to, want int64
	}{
		{time.Minute, 100, 3_600_000, 61}, {time.Second, 100, 3_600_000, 100}, {0, 1, 3_600_000, 1}, {0, 1 << 31, 1e15, 10_000},
		{time.Second, 100, 0, 1}, {time.Hour, 100, 10, 1},
	} {
		q := query("A", `{}`)
		q.Interval, q.MaxDataPoints, q.TimeRange.To = c.interval, c.most, time.UnixMilli(c.to)
		if got := len(column[float64](t, ask(q).Frames[0], 1)); got != int(c.want) {
			t.Errorf("%+v: %d points", c, got)
		}
	}
	wide := func(refID string) sdk.Query {
		q := query(refID, `{"seriesCount":10}`)
		q.Interval, q.MaxDataPoints = 0, 10_000
		return q
	}
	two := builtin.QueryData([]sdk.Query{wide("A"), wide("B")})
	if two["A"].Err != nil || two["B"].Err == nil || two["B"].Status != 400 || !strings.Contains(two["B"].Err.Error(), fmt.Sprint(gate.MaxWalkPoints)) {
		t.Errorf("%v, %v", two["A"].Err, two["B"].Err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for queryType, want := range map[string]string{"list": "501 ", "read": "501 ", "search": "501 GET /api/search", "snapshot": "501 in the browser",
		"measurements": "501 in the browser", "other": "400 use randomWalk"} {
		r := ask(sdk.Query{RefID: "A", Type: queryType})
		if status, text, _ := strings.Cut(want, " "); r.Err == nil || fmt.Sprint(r.Status) != status || !strings.Contains(r.Err.Error(), text) || !strings.Contains(r.Err.Error(), queryType) {
			t.Errorf("%s: %d %v", queryType, r.Status, r.Err)
		}
	}
	for options, want := range map[string]string{`{"seriesCount":0}`: "from 1 to 100", `{"seriesCount":101}`: "from 1 to 100", `{"spread":"x"}`: "spread must be a number, found a string",
		`{"min":2,"max":1}`: "min must not", `{"dropPercent":101}`: "dropPercent must",
		`{"alias":"` + strings.Repeat("a", 201) + `"}`: "alias must not be longer than 200 bytes"} {
		if r := ask(query("A", options)); r.Status != 400 || r.Err == nil || !strings.Contains(r.Err.Error(), want) {
			t.Errorf("%s: %d %v", options, r.Status, r.Err)
		}
	}
}
