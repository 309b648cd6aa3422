package loader

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/backend"
	"github.com/slipway-dev/slipway/sdk"
)

func TestHistogram(t *testing.T) {
	t.Parallel()
	var h Histogram
	if h.Mean() != 0 || h.Quantile(.95) != 0 || h.Count() != 0 {
		t.Errorf("an empty histogram has mean %g and p95 %g", h.Mean(), h.Quantile(.95))
	}
	for range 90 {
		h.observe(time.Millisecond) // the bound belongs to its bucket
	}
	for range 10 {
		h.observe(75 * time.Millisecond)
	}
	if h.Count() != 100 || math.Abs(h.Mean()-.0084) > 1e-9 {
		t.Errorf("count %d, mean %g", h.Count(), h.Mean())
	}
	if p50, p95 := h.Quantile(.5), h.Quantile(.95); math.Abs(p50-.001*50/90) > 1e-9 || math.Abs(p95-.075) > 1e-9 {
		t.Errorf("p50 %g, p95 %g", p50, p95)
	}
	if c := h.Cumulative(); c[.001] != 90 || c[.05] != 90 || c[.1] != 100 || c[60] != 100 {
		t.Errorf("cumulative counts %v", c)
	}
	h = Histogram{}
	h.observe(time.Hour)
	if h.Quantile(.5) != 60 || h.Cumulative()[60] != 0 {
		t.Errorf("a duration above all bounds: p50 %g, %v", h.Quantile(.5), h.Cumulative())
	}
}

func TestStepsOfFigures(t *testing.T) {
	t.Parallel()
	p := &Plugin{figures: newFigures()}
	now := time.Now()
	for i := range 1000 { // more than two turns of the ring
		at := now.Add(time.Duration(i-999) * Step)
		p.figures.called(at, CallQuery, time.Second, sdk.SourcePlugin)
		p.figures.sampled(at, Usage{Memory: uint64(i)})
	}
	f := p.Figures()
	if n := len(f.Steps); n < int(Span/Step)-1 || n > int(Span/Step) {
		t.Errorf("%d steps", n)
	}
	for i, s := range f.Steps {
		if s.Durations.Count() != 1 || s.Errors.Plugin != 1 || i > 0 && (s.Time.Sub(f.Steps[i-1].Time) != Step || s.Memory != f.Steps[i-1].Memory+1) {
			t.Errorf("step %d: %+v", i, s)
		}
	}
	if size := unsafe.Sizeof(*p.figures); size > 20<<10 {
		t.Errorf("the figures of a plugin take %d bytes", size)
	}
}

func TestSourceOfErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err        error
		isCanceled bool
		want       sdk.Source
	}{
		{nil, false, ""},
		{errors.New("any"), false, sdk.SourcePlugin},
		{errors.New("any"), true, ""},
		{backend.ErrUnsupported, false, ""},
		{sdk.Downstreamf(502, "x"), false, sdk.SourceDownstream},
		{&sdk.Error{Status: 500}, false, sdk.SourcePlugin},
	} {
		if got := sourceOf(c.err, c.isCanceled); got != c.want {
			t.Errorf("%v (canceled: %t): source %q, want %q", c.err, c.isCanceled, got, c.want)
		}
	}
	for status, want := range map[int]sdk.Source{200: "", 404: "", 500: sdk.SourcePlugin, 502: sdk.SourceDownstream, 503: sdk.SourcePlugin, 504: sdk.SourceDownstream} {
		if got := sourceOfStatus(status); got != want {
			t.Errorf("status %d: source %q, want %q", status, got, want)
		}
	}
	down, own := sdk.DataResponse{Err: sdk.Downstreamf(502, "x")}, sdk.DataResponse{Err: errors.New("x")}
	if got := sourceOfResponses(sdk.QueryDataResponse{"A": {}, "B": down}); got != sdk.SourceDownstream {
		t.Errorf("source %q", got)
	}
	if got := sourceOfResponses(sdk.QueryDataResponse{"A": down, "B": own}); got != sdk.SourcePlugin {
		t.Errorf("source %q", got)
	}
}

func TestMeasure(t *testing.T) {
	t.Parallel()
	p := &Plugin{figures: newFigures()}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_ = p.measure(t.Context(), CallQuery, func(m *measurement) error { m.failed = sdk.SourceDownstream; return nil })
	_ = p.measure(t.Context(), CallQuery, func(m *measurement) error { return errors.New("x") })
	_ = p.measure(canceled, CallQuery, func(m *measurement) error { return canceled.Err() })
	_ = p.measure(t.Context(), CallHealth, func(m *measurement) error { m.paused = time.Hour; return nil })
	f := p.Figures()
	if len(f.Calls) != 2 || f.Calls[0].Call != CallHealth || f.Calls[0].Durations.Sum > 0 {
		t.Fatalf("calls %+v", f.Calls)
	}
	if diff := cmp.Diff(Errors{Plugin: 1, Downstream: 1}, f.Calls[1].Errors); diff != "" || f.Calls[1].Durations.Count() != 3 {
		t.Errorf("%d queries with errors (-want +got):\n%s", f.Calls[1].Durations.Count(), diff)
	}
}
