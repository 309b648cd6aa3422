package sdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// An error has the same effect in queries, resources, health checks and streams.
func TestOneErrorModel(t *testing.T) {
	t.Parallel()
	refusing := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	testkit.OK(t, refusing.Close())
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(slow.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	get := func(address string, timeout time.Duration) error {
		resp, err := (&http.Client{Timeout: timeout}).Get(address + "/?token=hunter2")
		if err == nil {
			return errors.Join(resp.Body.Close(), errors.New("the request succeeded"))
		}
		return fmt.Errorf("read the shop: %w", err)
	}
	for _, c := range []struct {
		name string
		err  error
		want sdk.Error
	}{
		{"refused", get("http://"+refusing.Addr().String(), time.Minute), sdk.Error{Status: 502, Source: sdk.SourceDownstream, Message: "the upstream service refused the connection"}},
		{"time-out", get(slow.URL, 50*time.Millisecond), sdk.Error{Status: 504, Source: sdk.SourceDownstream, Message: "the upstream service timed out"}},
		{"certificate", get(secure.URL, time.Minute), sdk.Error{Status: 502, Source: sdk.SourceDownstream, Message: "the certificate of the upstream service could not be verified"}},
		{"name", &url.Error{Op: "Get", URL: "http://u:hunter2@x", Err: &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}}},
			sdk.Error{Status: 502, Source: sdk.SourceDownstream, Message: "the host name of the upstream service was not found"}},
		{"deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), sdk.Error{Status: 504, Source: sdk.SourceDownstream, Message: "the upstream service timed out"}},
		{"plain", errors.New("no such table"), sdk.Error{Status: 500, Source: sdk.SourcePlugin, Message: "no such table"}},
		{"nil in an interface", (*sdk.Error)(nil), sdk.Error{Status: 500, Source: sdk.SourcePlugin, Message: "nil *sdk.Error: return an untyped nil instead"}},
		{"own", fmt.Errorf("wrapped: %w", sdk.Errorf(418, "short")), sdk.Error{Status: 418, Source: sdk.SourcePlugin, Message: "short"}},
		{"downstream", sdk.Downstream("the shop is down", get(slow.URL, 50*time.Millisecond)), sdk.Error{Status: 504, Source: sdk.SourceDownstream, Message: "the shop is down"}},
		{"upstream's 401", sdk.FromStatus(401, "the key is not known there"), sdk.Error{Status: 401, Source: sdk.SourceDownstream, Message: "the key is not known there"}},
		{"upstream's 500", sdk.FromStatus(500, "the shop failed"), sdk.Error{Status: 502, Source: sdk.SourceDownstream, Message: "the shop failed"}},
		{"upstream's 422", sdk.FromStatus(422, "the shop refused"), sdk.Error{Status: 400, Source: sdk.SourceDownstream, Message: "the shop refused"}},
		{"no words", &sdk.Error{Status: 403}, sdk.Error{Status: 403, Source: sdk.SourcePlugin, Message: "Forbidden"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := sdktest.Start(t, sdk.Plugin{
				QueryData: func(_ context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
					if req.Queries[0].RefID == "whole" {
						return nil, c.err
					}
					return sdk.QueryDataResponse{"A": {Err: c.err}}, nil
				},
				CheckHealth: func(context.Context, *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) { return nil, c.err },
				Resources:   sdk.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return c.err }),
				SubscribeStream: func(context.Context, *sdk.StreamRequest) (json.RawMessage, error) {
					return nil, c.err
				},
			})
			is := func(what string, err error) {
				t.Helper()
				e, ok := errors.AsType[*sdk.Error](err)
				if !ok {
					t.Errorf("%s: got %#v, want an *sdk.Error", what, err)
				} else if diff := cmp.Diff(c.want, *e, cmpopts.IgnoreFields(sdk.Error{}, "Cause")); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			is("query", k.Query(sdk.Query{}).Err)
			_, err := k.QueryData(t.Context(), &sdk.QueryDataRequest{Queries: []sdk.Query{{RefID: "whole"}}})
			is("whole request", err)
			if c.want.Status != 403 && c.want.Status != 404 { // which have a response of their own
				_, err = k.SubscribeStream(t.Context(), &sdk.StreamRequest{})
				is("stream", err)
			}
			health := k.Health()
			details := fmt.Sprintf(`{"errorSource":%q,"status":%d}`, c.want.Source, c.want.Status)
			if health.Status != sdk.HealthError || health.Message != c.want.Message || string(health.Details) != details {
				t.Errorf("health: %+v %s", health, health.Details)
			}
			resp := testkit.Must(k.HTTP().Get("http://plugin/"))(t)
			defer func() { _ = resp.Body.Close() }()
			body := make([]byte, 1000)
			n, _ := resp.Body.Read(body)
			if want := fmt.Sprintf("{\"message\":%q,\"errorSource\":%q}\n", c.want.Message, c.want.Source); resp.StatusCode != c.want.Status || string(body[:n]) != want {
				t.Errorf("resource: %d %s", resp.StatusCode, body[:n])
			}
			if strings.Contains(string(body[:n])+health.Message, "hunter2") {
				t.Error("the cause is visible to users")
			}
		})
	}
}

// An error after a part of the response aborts the response.
// A record of the log says everything once.
func TestErrorText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"short":                       sdk.Errorf(418, "short"),
		"the shop is down: it sleeps": sdk.Downstream("the shop is down", errors.New("it sleeps")),
		"list: no such table":         sdk.AsError(errors.New("list: no such table")),
		"list: gone":                  sdk.AsError(fmt.Errorf("list: %w", sdk.Errorf(404, "gone"))),
		"the upstream service responded with 404 Not Found": sdk.FromStatus(404, "the upstream service responded with 404 Not Found"),
		"a cause": &sdk.Error{Cause: errors.New("a cause")},
	} {
		if got := err.Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestBrokenOffAnswer(t *testing.T) {
	t.Parallel()
	k := sdktest.Start(t, sdk.Plugin{Resources: sdk.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) error {
		_, _ = w.Write([]byte("half"))
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
		return errors.New("oh")
	})})
	resp := testkit.Must(k.HTTP().Get("http://plugin/"))(t)
	defer func() { _ = resp.Body.Close() }()
	body := make([]byte, 4)
	if _, err := resp.Body.Read(body); err != nil || string(body) != "half" {
		t.Errorf("%s, %v", body, err)
	}
	if _, err := resp.Body.Read(body); err == nil || err.Error() == "EOF" {
		t.Errorf("the aborted response was read without an error: %v", err)
	}
}

func TestJoinURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		base     string
		segments []string
		want     string
	}{
		{"http://h", []string{"a", "b c"}, "http://h/a/b%20c"},
		{"http://h/api/", []string{"a/b"}, "http://h/api/a%2Fb"},
		{"http://h/a%2Fb?x=1#f", []string{"%2F"}, "http://h/a%2Fb/%252F?x=1"},
		{"https://h:1/p", []string{"?q#f", "é;"}, "https://h:1/p/%3Fq%23f/%C3%A9%3B"},
		{"http://h", []string{"..."}, "http://h/..."},
		{"http://h", []string{"a..b"}, "http://h/a..b"},
		{"http://h", []string{"//evil"}, "http://h/%2F%2Fevil"},
	} {
		if u, err := sdk.JoinURL(c.base, c.segments...); err != nil || u.String() != c.want {
			t.Errorf("JoinURL(%q, %q) = %v, %v, want %s", c.base, c.segments, u, err, c.want)
		}
	}
	for _, bad := range [][]string{{"h", "a"}, {"ftp://h", "a"}, {"http://", "a"}, {"http://h", ""}, {"http://h", "."}, {"http://h", ".."}, {"http://h", "../x"},
		{"http://h", `..\x`}, {"http://h", "a/../b"}, {"http://h", "%2e%2e"}, {"http://h", "%252e%252e%252fx"}, {"http://h", "a\nb"}, {"http://h", "a\x00"}} {
		if u, err := sdk.JoinURL(bad[0], bad[1:]...); err == nil {
			t.Errorf("JoinURL(%q) = %s", bad, u)
		}
	}
	if u, err := sdk.JoinPath("http://h/api", "/v1//labels/a%2Fb/"); err != nil || u.String() != "http://h/api/v1/labels/a%252Fb" {
		t.Errorf("%v, %v", u, err)
	}
	if u, err := sdk.JoinPath("http://h/api", "v1/../../admin"); err == nil {
		t.Errorf("JoinPath left the base: %s", u)
	}
	if _, err := sdk.JoinURL("ftp://u:hunter2@h?token=hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}
