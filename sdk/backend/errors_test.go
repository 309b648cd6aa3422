package backend

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/sdk"
)

// Only the end of the caller's own context results in a context error: go-plugin also
// cancels calls when a process has died.
func TestCallError(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for code, want := range map[codes.Code]int{
		codes.Canceled: 502, codes.Unavailable: 502, codes.Internal: 500, codes.DeadlineExceeded: 504, codes.NotFound: 404,
	} {
		cause := status.Error(code, "unix /tmp/x: closed")
		e, ok := errors.AsType[*sdk.Error](callError(t.Context(), cause))
		if !ok || e.Status != want {
			t.Errorf("%s became %v", code, callError(t.Context(), cause))
		}
		if err := callError(gone, cause); !errors.Is(err, context.Canceled) {
			t.Errorf("%s for a caller that has left became %v", code, err)
		}
	}
	if err := callError(t.Context(), status.Error(codes.Unimplemented, "x")); !errors.Is(err, ErrUnsupported) {
		t.Error(err)
	}
}

// An invalid status or source from a plugin does not reach the client.
func TestFinalError(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status, source string
		want           *sdk.Error
	}{
		{"404", "downstream", &sdk.Error{Status: 404, Source: sdk.SourceDownstream, Message: "m"}},
		{"42", "elsewhere", &sdk.Error{Status: 502, Source: sdk.SourcePlugin, Message: "m"}},
		{"200", "plugin", &sdk.Error{Status: 502, Source: sdk.SourcePlugin, Message: "m"}},
	} {
		trailer := metadata.Pairs(wire.TrailerStatus, test.status, wire.TrailerSource, test.source, wire.TrailerMessage, "m")
		if diff := cmp.Diff(error(test.want), finalError(trailer)); diff != "" {
			t.Errorf("status %s of %s (-want +got):\n%s", test.status, test.source, diff)
		}
	}
	if err := finalError(metadata.MD{}); err != nil {
		t.Error(err)
	}
}
