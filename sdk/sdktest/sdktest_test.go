package sdktest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// recorder records the failure of a test.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Errorf(format string, args ...any) { r.said = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// verdict runs a function and returns its failure, or "".
func verdict(t *testing.T, test func(testing.TB)) string {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r.said
}

func TestGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "answer.json")
	answer := sdk.DataResponse{Status: 400, Err: &sdk.Error{Status: 400, Source: sdk.SourceDownstream, Message: "no such article", Cause: errors.New("secret")}}
	golden := func(a sdk.DataResponse) string {
		return verdict(t, func(tb testing.TB) { sdktest.Golden(tb, file, a) })
	}
	t.Setenv(sdktest.EnvUpdate, "")
	if said := golden(answer); !strings.Contains(said, "does not exist; to create it, run UPDATE_GOLDEN=1") {
		t.Errorf("without a file: %q", said)
	}
	t.Setenv(sdktest.EnvUpdate, "1")
	if said := golden(answer); said != "" {
		t.Error(said)
	}
	t.Setenv(sdktest.EnvUpdate, "")
	if said := golden(answer); said != "" {
		t.Error(said)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "secret") {
		t.Errorf("%s, %v", text, err)
	}
	answer.Err = errors.New("another")
	if said := golden(answer); !strings.Contains(said, "line 3\n  got    \"error\": \"another\",\n  want   \"error\": \"no such article\",") {
		t.Errorf("a difference is reported as %q", said)
	}
	if said := golden(sdk.DataResponse{Frames: []sdk.Frame{backend.ArrowFrame("x")}}); !strings.Contains(said, "frame 0") {
		t.Errorf("a damaged frame is reported as %q", said)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	broken := sdk.Plugin{
		QueryData: func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			return nil, errors.New("oh")
		},
		SubscribeStream: func(context.Context, *sdk.StreamRequest) (json.RawMessage, error) { return nil, nil },
		RunStream:       func(context.Context, *sdk.StreamRequest, *sdk.StreamSender) error { return nil },
	}
	if a := sdktest.Start(t, broken).Query(sdk.Query{}); a.Status != 500 || a.Err == nil || a.Err.Error() != "oh" {
		t.Errorf("a failed call is reported as %+v", a)
	}
	if said := verdict(t, func(tb testing.TB) { sdktest.Start(tb, broken).Health() }); !strings.Contains(said, "does not support") {
		t.Errorf("a missing handler is reported as %q", said)
	}
	if said := verdict(t, func(tb testing.TB) { _, _ = sdktest.Start(tb, broken).Stream("a cup", 1) }); !strings.Contains(said, "hosts refuse the path") {
		t.Errorf("a path with a space is reported as %q", said)
	}
	if packets, err := sdktest.Start(t, broken).Stream("x", 3); len(packets) != 0 || err != nil {
		t.Errorf("a stream that ends: %s, %v", packets, err)
	}
	ended := make(chan error, 1)
	t.Run("close", func(t *testing.T) {
		sdktest.Start(t, sdk.Plugin{Close: func() error { ended <- nil; return nil }})
	})
	select {
	case <-ended:
	default:
		t.Error("the plugin was not closed with its test")
	}
}

// The client receives parts of a response as they are flushed, and the plugin learns that
// the client has left.
func TestHTTP(t *testing.T) {
	t.Parallel()
	left := make(chan struct{})
	k := sdktest.Start(t, sdk.Plugin{Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s?%s %s", r.Method, r.URL.Path, r.URL.RawQuery, body)
		if r.URL.Path == "/endless" {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			close(left)
		}
	})})
	resp := testkit.Must(k.HTTP().Post("http://plugin/a/b?c=d", "text/plain", strings.NewReader("hello")))(t)
	text, err := io.ReadAll(resp.Body)
	testkit.OK(t, err, resp.Body.Close())
	if got, want := fmt.Sprint(resp.StatusCode, " ", string(text)), "200 POST /a/b?c=d hello"; got != want {
		t.Errorf("got the response %q, want %q", got, want)
	}
	resp = testkit.Must(k.HTTP().Get("http://plugin/endless"))(t)
	first := make([]byte, 4)
	if _, err := io.ReadFull(resp.Body, first); err != nil || string(first) != "GET " {
		t.Errorf("%q, %v", first, err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	<-left
	none := sdktest.Start(t, sdk.Plugin{})
	if resp, err := none.HTTP().Get("http://plugin/"); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("%v, %v", resp, err)
	}
}
