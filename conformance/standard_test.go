package conformance

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/bundle"
)

// TestFieldsOfOldSDKs requires that a plugin is not asked for fields that its SDK lacks.
func TestFieldsOfOldSDKs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sdk            bundle.SDK
		standard       Standard
		status, source bool
	}{
		{bundle.SDK{}, Existing, true, true},
		{bundle.SDK{Module: bundle.SlipwayModule, Version: "v0.1.0"}, Strict, true, true},
		{bundle.SDK{Module: bundle.GrafanaModule, Version: "v0.19.4"}, Existing, false, false},
		{bundle.SDK{Module: bundle.GrafanaModule, Version: "v0.142.0"}, Existing, true, false},
		{bundle.SDK{Module: bundle.GrafanaModule, Version: "v0.179.0"}, Existing, true, false},
		{bundle.SDK{Module: bundle.GrafanaModule, Version: "v0.298.0"}, Existing, true, true},
		{bundle.SDK{Module: bundle.GrafanaModule, Version: "(devel)"}, Existing, true, true},
	} {
		if standard, status, source := forSDK(c.sdk), hasField(c.sdk, statusSince), hasField(c.sdk, sourceSince); standard != c.standard || status != c.status || source != c.source {
			t.Errorf("%s: %s, status %t, source %t", c.sdk, standard, status, source)
		}
	}
}

// TestCauses requires that one cause is recognized, and that two are not confused.
func TestCauses(t *testing.T) {
	t.Parallel()
	ordinary, unusual := Check{Why: "a"}, Check{Why: "b", isUnusual: true}
	result := func(v Verdict) Result { return Result{Verdict: v} }
	for _, c := range []struct {
		name string
		a, b string
		same bool
	}{
		{"reasons", result(skipped("x")).cause(ordinary), result(skipped("x")).cause(unusual), true},
		{"other reasons", result(skipped("x")).cause(ordinary), result(skipped("y")).cause(ordinary), false},
		{"numbers", result(failed("1", "id 7", "h")).cause(ordinary), result(failed("2", "id 8", "h")).cause(ordinary), true},
		{"outcomes", result(failed("1", "x", "h")).cause(ordinary), result(warned("1", "x", "h")).cause(ordinary), false},
		{"panics", result(failed("1", "panic", helpPanic)).cause(ordinary), result(failed("1", "panic", helpPanic)).cause(Check{Why: "c"}), false},
		{"crashes", result(failed("1", "exit status 2; last output: a | panic: x", helpExited)).cause(ordinary), result(failed("2", "exit status 2; last output: b | panic: x", helpExited)).cause(unusual), true},
		{"unusual panics", result(warned("1", "panic", helpPanic)).cause(unusual), result(warned("1", "panic", helpPanic)).cause(Check{Why: "c", isUnusual: true}), true},
	} {
		if (c.a == c.b) != c.same {
			t.Errorf("%s: %q and %q", c.name, c.a, c.b)
		}
	}
	if cause := result(passed()).cause(ordinary); cause != "" {
		t.Errorf("a check that passed has the cause %q", cause)
	}
}

// A crash is reported with its reason, even if that arrives after the end of the process and
// after other output.
func TestAwaitCrash(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &subject{stderr: &output{}}
		print := func(text string) {
			if _, err := s.stderr.Write([]byte(text)); err != nil {
				t.Error(err)
			}
		}
		print("QueryData called\n")
		go func() {
			time.Sleep(outputGrace / 2)
			print("panic: ")
			time.Sleep(outputGrace / 4)
			print("no such table\n\ngoroutine 1 [running]:\n")
		}()
		s.awaitCrash()
		if got, want := s.lastOutput(), "; last output: QueryData called | panic: no such table"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// countedOnce has metrics for the first call only.
type countedOnce struct {
	pluginv2.DiagnosticsClient
	calls int
}

func (c *countedOnce) CollectMetrics(context.Context, *pluginv2.CollectMetricsRequest, ...grpc.CallOption) (*pluginv2.CollectMetricsResponse, error) {
	if c.calls++; c.calls > 1 {
		return nil, errors.New("no metrics")
	}
	return &pluginv2.CollectMetricsResponse{Metrics: &pluginv2.CollectMetricsResponse_Payload{Prometheus: []byte("go_goroutines 7\n")}}, nil
}

// TestGoroutinesThatCannotBeCounted requires that what was not counted does not count as passed.
func TestGoroutinesThatCannotBeCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &subject{raw: raw{diagnostics: &countedOnce{}}, o: Options{Plugin: bundle.Plugin{Metadata: &bundle.Metadata{}}}}
		if v := canceledLeavesNothing(t.Context(), s, nil); v.Outcome != Skipped {
			t.Errorf("%+v", v)
		}
	})
}
