package loader

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

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

func TestFigures(t *testing.T) {
	t.Parallel()
	p := newTestPlugin()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_ = p.measure(t.Context(), CallQuery, func(m *measurement) error { m.failed = sdk.SourceDownstream; return nil })
	_ = p.measure(t.Context(), CallQuery, func(m *measurement) error { return errors.New("x") })
	_ = p.measure(canceled, CallQuery, func(m *measurement) error { return canceled.Err() })
	_ = p.measure(t.Context(), CallHealth, func(m *measurement) error { m.paused = time.Hour; return nil })
	for range 90 {
		p.figures.called(CallResource, time.Millisecond, "") // the bound belongs to its bucket
	}
	for range 10 {
		p.figures.called(CallResource, 75*time.Millisecond, "")
	}
	p.figures.called(CallPublish, time.Hour, "")
	calls := p.Figures().Calls
	if len(calls) != 4 || calls[0].Call != CallHealth || calls[0].Mean > 0 || calls[1].P95 != 60 {
		t.Fatalf("calls %+v", calls)
	}
	if c := calls[2]; c.Count != 3 || c.PluginErrors != 1 || c.DownstreamErrors != 1 {
		t.Errorf("queries %+v", c)
	}
	if c := calls[3]; c.Count != 100 || math.Abs(c.Mean-.0084) > 1e-9 || math.Abs(c.P95-.075) > 1e-9 {
		t.Errorf("resources %+v", c)
	}
}

func newTestPlugin() *Plugin {
	p := &Plugin{records: newRecords(slog.New(slog.DiscardHandler))}
	p.figures = newFigures(p)
	return p
}
