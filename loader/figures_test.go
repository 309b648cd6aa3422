package loader

import (
	"errors"
	"testing"

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
