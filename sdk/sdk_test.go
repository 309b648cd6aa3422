package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

type points struct {
	N int `json:"n"`
}

func TestEachQuery(t *testing.T) {
	t.Parallel()
	c := sdktest.Start(t, sdk.Plugin{QueryData: sdk.EachQuery(func(ctx context.Context, q sdk.Query, m points) ([]sdk.Frame, error) {
		switch q.Type {
		case "panic":
			panic("oh")
		case "down":
			return nil, sdk.Downstream("the database is down", &net.DNSError{Err: "no such host", Name: "secret.internal"})
		case "nil frame":
			return []sdk.Frame{nil}, nil
		case "not UTF-8":
			return nil, errors.New("bad \xff bytes")
		}
		return []sdk.Frame{backend.ArrowFrame(fmt.Sprintf("%d points of %s from %s", m.N, sdk.ContextOf(ctx).PluginID, q.TimeRange.From.UTC().Format(time.DateOnly)))}, nil
	})})
	from := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	answers := testkit.Must(c.QueryData(t.Context(), &sdk.QueryDataRequest{
		Context: sdk.Context{PluginID: "p"},
		Queries: []sdk.Query{
			{RefID: "A", JSON: []byte(`{"n":3}`), TimeRange: sdk.TimeRange{From: from, To: from.Add(time.Hour)}},
			{RefID: "B", JSON: []byte(`{"n":"x"}`)},
			{RefID: "C", Type: "panic"},
			{RefID: "D", Type: "down"},
			{RefID: "E", Type: "nil frame"},
			{RefID: "F", Type: "not UTF-8"},
		},
	}))(t)
	if a := answers["A"]; a.Err != nil || a.Status != http.StatusOK || string(a.Frames[0].(backend.ArrowFrame)) != "3 points of p from 2026-01-02" {
		t.Errorf("A: %+v", a)
	}
	for ref, want := range map[string]sdk.Error{
		"B": {Status: http.StatusBadRequest, Source: sdk.SourceDownstream, Message: "invalid query"},
		"C": {Status: http.StatusInternalServerError, Source: sdk.SourcePlugin, Message: "see its log"},
		"E": {Status: http.StatusInternalServerError, Source: sdk.SourcePlugin, Message: "could not write a frame"},
		"F": {Status: http.StatusInternalServerError, Source: sdk.SourcePlugin, Message: "bad \uFFFD bytes"},
		"D": {Status: http.StatusBadGateway, Source: sdk.SourceDownstream, Message: "the database is down"},
	} {
		var e *sdk.Error
		if !errors.As(answers[ref].Err, &e) {
			t.Errorf("%s: got %+v, want an *sdk.Error", ref, answers[ref])
			continue
		}
		if !strings.Contains(e.Message, want.Message) {
			t.Errorf("%s: got the message %q, want %q in it", ref, e.Message, want.Message)
		}
		if diff := cmp.Diff(want, *e, cmpopts.IgnoreFields(sdk.Error{}, "Message", "Cause")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
		if strings.Contains(fmt.Sprint(answers[ref].Err), "secret.internal") {
			t.Errorf("%s: the cause reached the wire: %v", ref, answers[ref].Err)
		}
	}
}

func TestQueryWithoutAnswer(t *testing.T) {
	t.Parallel()
	c := sdktest.Start(t, sdk.Plugin{QueryData: func(context.Context, *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) { return nil, nil }})
	answers, err := c.QueryData(t.Context(), &sdk.QueryDataRequest{Queries: []sdk.Query{{RefID: "A"}}})
	if err != nil || answers["A"].Err == nil {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestUnsupportedCalls(t *testing.T) {
	t.Parallel()
	c := sdktest.Start(t, sdk.Plugin{})
	_, queryErr := c.QueryData(t.Context(), &sdk.QueryDataRequest{})
	_, healthErr := c.CheckHealth(t.Context(), &sdk.CheckHealthRequest{})
	_, metricsErr := c.CollectMetrics(t.Context(), &sdk.CollectMetricsRequest{})
	_, subscribeErr := c.SubscribeStream(t.Context(), &sdk.StreamRequest{})
	_, publishErr := c.PublishStream(t.Context(), &sdk.StreamRequest{})
	runErr := c.RunStream(t.Context(), &sdk.StreamRequest{}, nil)
	resourceErr := c.CallResource(t.Context(), &backend.CallResourceRequest{}, nil)
	for _, err := range []error{queryErr, healthErr, metricsErr, subscribeErr, publishErr, runErr, resourceErr} {
		if !errors.Is(err, backend.ErrUnsupported) {
			t.Errorf("%v", err)
		}
	}
}

func TestCheckHealth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		handle sdk.CheckHealthFunc
		want   sdk.CheckHealthResult
	}{
		{"ok", func(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: sdk.ContextOf(ctx).DataSource.URL, Details: []byte(`{"a":1}`)}, nil
		}, sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "http://up", Details: []byte(`{"a":1}`)}},
		{"error", func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			return nil, sdk.Errorf(http.StatusForbidden, "no access")
		}, sdk.CheckHealthResult{Status: sdk.HealthError, Message: "no access", Details: []byte(`{"errorSource":"plugin","status":403}`)}},
		{"nothing", func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			return nil, nil
		}, sdk.CheckHealthResult{Status: sdk.HealthUnknown, Message: "the plugin returned no result"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := testkit.Must(sdktest.Start(t, sdk.Plugin{CheckHealth: c.handle}).CheckHealth(t.Context(), &sdk.CheckHealthRequest{
				Context: sdk.Context{DataSource: &sdk.DataSource{URL: "http://up"}},
			}))(t)
			if diff := cmp.Diff(&c.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	c := sdktest.Start(t, sdk.Plugin{Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream":
			for i := range 3 {
				fmt.Fprintf(w, "part %d;", i)
				if err := http.NewResponseController(w).Flush(); err != nil {
					panic(err)
				}
			}
		case "/error":
			sdk.WriteError(w, r, sdk.Errorf(http.StatusTeapot, `short "and" stout`))
		case "/panic":
			panic("oh")
		case "/nothing":
		case "/empty":
			w.WriteHeader(http.StatusEarlyHints)
			w.Header().Set("X-Name", "caf\xe9")
			w.WriteHeader(http.StatusNoContent)
			fmt.Fprint(w, "not allowed")
		default:
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(err)
			}
			w.Header().Set("X-Seen", r.Header.Get("X-Given"))
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, "%s %s q=%s body=%s", r.Method, r.URL.Path, r.URL.Query().Get("q"), body)
		}
	})})
	call := func(path string) (pieces []backend.CallResourceResponse, err error) {
		err = c.CallResource(t.Context(), &backend.CallResourceRequest{
			Method: http.MethodPost, Path: strings.SplitN(path, "?", 2)[0], URL: path,
			Header: http.Header{"X-Given": {"yes"}}, Body: []byte("hello"),
		}, func(p backend.CallResourceResponse) error {
			pieces = append(pieces, p)
			return nil
		})
		return pieces, err
	}
	for _, tc := range []struct {
		path, body    string
		status, count int
	}{
		{"a/b?q=1", "POST /a/b q=1 body=hello", http.StatusCreated, 1},
		{"//evil.example/x", "POST //evil.example/x q= body=hello", http.StatusCreated, 1},
		{"stream", "part 0;part 1;part 2;", http.StatusOK, 3},
		{"error", "{\"message\":\"short \\\"and\\\" stout\",\"errorSource\":\"plugin\"}\n", http.StatusTeapot, 1},
		{"nothing", "", http.StatusOK, 1},
		{"empty", "", http.StatusNoContent, 1},
	} {
		pieces, err := call(tc.path)
		if err != nil || len(pieces) != tc.count {
			t.Fatalf("%s: %d pieces, %v", tc.path, len(pieces), err)
		}
		var body strings.Builder
		for _, p := range pieces {
			body.Write(p.Body)
		}
		if body.String() != tc.body && "/"+tc.path != tc.body || pieces[0].Status != tc.status {
			t.Errorf("%s: %d %q", tc.path, pieces[0].Status, body.String())
		}
		if tc.status == http.StatusCreated && pieces[0].Header.Get("X-Seen") != "yes" {
			t.Errorf("%s: headers %v", tc.path, pieces[0].Header)
		}
	}
	if _, err := call("panic"); err == nil || strings.Contains(err.Error(), "oh") {
		t.Errorf("a panic gave %v", err)
	}
}
