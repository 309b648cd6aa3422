package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

const (
	backendName = "gpx_test"
	quietName   = backendName + "_quiet" // of a backend without metrics
	pluginID    = "acme-test-datasource"
)

// TestMain makes the test binary double as the backend of a data source.
func TestMain(m *testing.M) {
	if !strings.HasPrefix(filepath.Base(os.Args[0]), backendName) {
		status := m.Run()
		if unseen := traffic.unseen(); status == 0 && len(unseen) > 0 && flag.Lookup("test.run").Value.String() == "" {
			fmt.Println("no test covers the response of", unseen)
			status = 1
		}
		os.Exit(status)
	}
	sdk.Serve(sdk.Plugin{
		CheckHealth: func(_ context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			if req.Context.DataSource.URL == "hang" {
				hang()
			}
			if req.Context.DataSource.URL == "bad" {
				return &sdk.CheckHealthResult{Status: sdk.HealthError, Message: "no connection"}, nil
			}
			if ds := req.Context.DataSource; ds.URL != "" {
				return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: ds.URL}, nil
			}
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine"}, nil
		},
		CollectMetrics: collectMetrics(),
		QueryData: func(_ context.Context, req *sdk.QueryDataRequest) (sdk.QueryDataResponse, error) {
			responses := sdk.QueryDataResponse{}
			for _, q := range req.Queries {
				switch q.Type {
				case "silent":
				case "hang":
					hang()
				case "large":
					values := make([]float64, 1<<20)
					for i := range values {
						values[i] = float64(i) / 3
					}
					responses[q.RefID] = sdk.DataResponse{Frames: []sdk.Frame{frame.New("", frame.Of("v", values))}}
				case "stray": // in addition to the response
					responses["other"] = sdk.DataResponse{Err: &sdk.Error{Status: 400, Message: "told elsewhere"}}
					responses["B"] = sdk.DataResponse{Err: &sdk.Error{Status: 400, Message: "not asked here"}}
					responses[q.RefID] = sdk.DataResponse{}
				case "told": // as a table
					responses[q.RefID] = sdk.DataResponse{Frames: []sdk.Frame{frame.New("", frame.Of("told", []string{fmt.Sprint(
						req.Context.DataSource.UID, " ", q.TimeRange.From.UnixMilli(), " ", q.TimeRange.To.UnixMilli(), " ", q.Interval, " ", q.MaxDataPoints)}))}}
				case "bad":
					responses[q.RefID] = sdk.DataResponse{Err: &sdk.Error{Status: 400, Source: sdk.SourceDownstream, Message: "no such table"}}
				default:
					responses[q.RefID] = sdk.DataResponse{}
				}
			}
			return responses, nil
		},
		SubscribeStream: func(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
			if req.Path == "missing" {
				return nil, sdk.Errorf(http.StatusNotFound, "there is no such channel")
			}
			if req.Path == "echo" {
				return req.Data, nil
			}
			return json.Marshal(req.Context)
		},
		RunStream: func(ctx context.Context, _ *sdk.StreamRequest, to *sdk.StreamSender) error {
			for n := 0; ; n++ {
				if err := to.Send(map[string]int{"pid": os.Getpid(), "n": n}); err != nil {
					return err
				}
				select {
				case <-time.After(10 * time.Millisecond):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		},
		PublishStream: func(_ context.Context, req *sdk.StreamRequest) (json.RawMessage, error) {
			if req.Path != "chat" {
				return nil, sdk.Errorf(http.StatusForbidden, "the channel is read-only")
			}
			return req.Data, nil
		},
		Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/nothing":
				w.WriteHeader(http.StatusNoContent)
			case "/context":
				_ = json.NewEncoder(w).Encode(sdk.ContextOf(r.Context()))
			case "/hang":
				hang()
			case "/large": // in one message
				n, _ := strconv.Atoi(r.URL.Query().Get("bytes"))
				_, _ = w.Write(make([]byte, n))
			case "/panic":
				go panic("it\npanicked")
				hang()
			case "/log":
				slog.WarnContext(r.Context(), r.URL.Query().Get("text"), "n", 1)
			case "/fail":
				sdk.WriteError(w, r, &sdk.Error{Message: "it failed", Cause: errors.New("a secret")})
			default:
				w.Header().Set("Set-Cookie", "a=b")
				w.Header().Set("Clear-Site-Data", "*")
				w.Header().Set("Link", "<x>; rel=next")
				body, _ := io.ReadAll(r.Body)
				_ = json.NewEncoder(w).Encode(map[string]any{
					"method": r.Method, "path": r.URL.Path, "query": r.URL.RawQuery, "header": r.Header, "body": len(body),
				})
			}
		}),
	})
}

func collectMetrics() func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), quietName) {
		return nil
	}
	return func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) {
		return []byte("sold_total 7\n"), nil
	}
}

// hang blocks until the process ends, even after the call was canceled.
func hang() { select {} }

// withPlugin is a fixture whose host has the backend mounted.
func withPlugin(t *testing.T) *fixture {
	t.Helper()
	return withPlugins(t, loader.Options{HostVersion: "10.4.2"}, pluginID)
}

// withPlugins is withPlugin with the options of the loader and several plugins with the
// same backend. f.pluginDir is the directory of the last one.
func withPlugins(t *testing.T, o loader.Options, ids ...string) *fixture {
	t.Helper()
	f := newFixture(t)
	root := t.TempDir()
	for _, id := range ids {
		f.pluginDir = filepath.Join(root, id)
		writeBackend(t, f.pluginDir, id)
	}
	o.Dirs = []string{root}
	f.mount(t, o)
	return f
}

// writeBackend writes a plugin directory whose backend is this test executable.
func writeBackend(t *testing.T, dir, id string) {
	t.Helper()
	testkit.WriteFiles(t, dir, map[string]string{bundle.MetadataFile: fmt.Sprintf(
		`{"id":%q,"name":"Test","type":"datasource","backend":true,"executable":%q,"info":{"version":"1.2.3"},"dependencies":{}}`, id, backendName)})
	self := testkit.Must(os.Executable())(t)
	if err := os.Symlink(self, filepath.Join(dir, bundle.Host().Executable(backendName))); err != nil {
		t.Skipf("this system cannot create symbolic links: %v", err)
	}
}

func TestPluginMetrics(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	if got := f.do("GET", "/api/plugins/"+pluginID+"/metrics", f.admin, ""); got.status != 200 || got.body != "sold_total 7\n" {
		t.Errorf("%d %s", got.status, got.body)
	}
	for who, want := range map[string]int{"": 401, f.viewer: 403} {
		f.check(t, "", want, "GET", "/api/plugins/"+pluginID+"/metrics", who, "")
	}
	f.check(t, "", 404, "GET", "/api/plugins/other/metrics", f.admin, "")
}

// A scraper takes 404 for a failure, so a backend without metrics has an empty list of them.
func TestNoPluginMetrics(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, pluginID)
	writeBackend(t, dir, pluginID)
	testkit.WriteFile(t, filepath.Join(dir, bundle.MetadataFile), fmt.Sprintf(`{"id":%q,"type":"datasource","backend":true,"executable":%q}`, pluginID, quietName))
	testkit.OK(t, os.Rename(filepath.Join(dir, bundle.Host().Executable(backendName)), filepath.Join(dir, bundle.Host().Executable(quietName))))
	f := newFixture(t)
	f.mount(t, loader.Options{Dirs: []string{root}})
	if got := f.do("GET", "/api/plugins/"+pluginID+"/metrics", f.admin, ""); got.status != 200 || got.body != "" {
		t.Errorf("%+v", got)
	}
	f = withMounted(t, withInfo, loader.Options{})
	f.check(t, "a plugin without a backend", 404, "GET", "/api/plugins/acme-info-app/metrics", f.admin, "")
}

func TestPluginList(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	for who, isAdmin := range map[string]bool{f.viewer: false, f.admin: true} {
		got := f.do("GET", "/api/plugins", who, "")
		if got.status != 200 || !strings.Contains(got.body, `"state":"running"`) {
			t.Fatalf("%+v", got)
		}
		if strings.Contains(got.body, `"pid"`) != isAdmin || strings.Contains(got.body, `no \"iam\"`) != isAdmin {
			t.Errorf("admin %v sees %s", isAdmin, got.body)
		}
	}
	if got := f.do("GET", "/api/plugins/"+pluginID+"/health", f.viewer, ""); got.status != 200 || !strings.Contains(got.body, "fine") {
		t.Errorf("%+v", got)
	}
	f.check(t, "", 404, "GET", "/api/plugins/other/health", f.viewer, "")
}

func TestResource(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	const base = "/api/plugins/" + pluginID + "/resources"
	send := func(method, path, body string, header http.Header) reply {
		r := httptest.NewRequest(method, "/", strings.NewReader(body))
		r.URL.RawPath, r.URL.RawQuery, _ = strings.Cut(base+path, "?")
		r.URL.Path, _ = url.PathUnescape(r.URL.RawPath)
		maps.Copy(r.Header, header)
		return f.send(r, f.viewer)
	}
	got := send("PUT", "/a:b/c d?x=%2F&y", "12345", http.Header{
		"Cookie": {"session=1"}, "X-Other": {"1", "2"}, "X-Forwarded-For": {"10.0.0.1"}, "User-Agent": {"caf\xe9"}, "X-Request-Id": {"not an id!"},
		"Accept-Encoding": {"gzip"}, "X-Ds-Authorization": {"Bearer x"}, "X-Repeated": {f.viewer}, "Origin": {"http://example.com"},
		"Content-Encoding": {"gzip"}, "Mcp-Session-Id": {"m"}, "Last-Event-Id": {"7"}, "Traceparent": {"00-1"}, "Idempotency-Key": {"i"},
	})
	var seen struct {
		Method, Path, Query string
		Header              http.Header
		Body                int
	}
	if err := json.Unmarshal([]byte(got.body), &seen); err != nil || got.status != 200 {
		t.Fatalf("%+v, %v", got, err)
	}
	received, sent := []any{seen.Method, seen.Path, seen.Query, seen.Body}, []any{"PUT", "/a:b/c d", "x=%2F&y", 5}
	if diff := cmp.Diff(sent, received); diff != "" {
		t.Errorf("request that the plugin received (-want +got):\n%s", diff)
	}
	for _, name := range []string{"Cookie", "Authorization", "X-Forwarded-For", "Accept-Encoding", "X-Ds-Authorization", "X-Repeated", "Origin"} {
		if seen.Header.Get(name) != "" {
			t.Errorf("the plugin received the header %s", name)
		}
	}
	for _, name := range []string{"Content-Encoding", "Mcp-Session-Id", "Last-Event-Id", "Traceparent", "Idempotency-Key"} {
		if seen.Header.Get(name) == "" {
			t.Errorf("the plugin did not receive the header %s", name)
		}
	}
	if diff := cmp.Diff([]string{"1", "2"}, seen.Header["X-Other"]); diff != "" {
		t.Errorf("header X-Other that the plugin received (-want +got):\n%s", diff)
	}
	if agent, id := seen.Header.Get("User-Agent"), seen.Header.Get("X-Request-Id"); agent != "caf\uFFFD" || id != got.header.Get("X-Request-Id") {
		t.Errorf("the plugin received the user agent %q and the request id %q", agent, id)
	}
	if got.header.Get("Set-Cookie")+got.header.Get("Clear-Site-Data") != "" || got.header.Get("Link") == "" || got.header.Get("Content-Security-Policy") != "sandbox; frame-ancestors 'self'" {
		t.Errorf("headers of the response: %v", got.header)
	}
	for path, status := range map[string]int{
		"": 200, "/": 200, "/nothing": 204, "/fail": 500, "/a/%2e%2e/b": 400, "/%2E/a": 400, `/a%5C..%5Cb`: 400, "/a%00": 400, "/%ff": 400,
		"/a/%252e%252e/b": 400, "/..;/b": 400, "/http:%2F%2Fhost": 200,
	} {
		got := send("GET", path, "", nil)
		if got.status != status || strings.Contains(got.body, "secret") {
			t.Errorf("%q: %d %s", path, got.status, got.body)
		}
	}
	if got := send("POST", "/big", strings.Repeat("x", 16<<20+1), nil); got.status != 413 {
		t.Errorf("body above the limit: %d %s", got.status, got.body)
	}
}

func TestQueryData(t *testing.T) {
	t.Parallel()
	f := withPlugin(t)
	const source = `"datasource":{"uid":"` + pluginID + `"}`
	for _, c := range []struct {
		name, queries string
		status        int
		contains      string
	}{
		{"one", `{"refId":"A",` + source + `}`, 200, `"A":{"status":200,"frames":[]}`},
		{"a failed query beside another", `{"refId":"A",` + source + `},{"refId":"B","queryType":"bad",` + source + `}`, 207,
			`"B":{"status":400,"frames":[],"error":"no such table","errorSource":"downstream"}`},
		{"no response", `{"queryType":"silent",` + source + `}`, 207, "returned no response"},
		{"unknown data source", `{"datasource":{"uid":"other"}}`, 207, `data source \"other\" not found`},
		{"no data source", `{}`, 400, "queries[0].datasource"},
		{"interval out of range", `{"intervalMs":9223372036854775807,` + source + `}`, 400, "queries[0].intervalMs"},
		{"duplicate refId", `{` + source + `},{` + source + `}`, 400, `queries[1].refId`},
	} {
		got := f.do("POST", "/api/ds/query", f.viewer, `{"queries":[`+c.queries+`]}`)
		if got.status != c.status || !strings.Contains(got.body, c.contains) {
			t.Errorf("%s: %d %s", c.name, got.status, got.body)
		}
	}
}

// A client that declares a body but does not send it cannot keep a connection open.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path       string
		isSignedIn bool
		status     int
	}{
		{"/api/playlists", true, 408},
		{"/api/playlists", false, 401},
		{"/api/session", false, 408},
	} {
		f := newFixture(t)
		f.SetIdleTime(time.Second) // a busy machine needs some of it to respond
		server := httptest.NewServer(f)
		t.Cleanup(server.Close)
		authorization := ""
		if c.isSignedIn {
			authorization = f.admin
		}
		conn := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{", c.path, authorization)
		in := bufio.NewReader(conn)
		got, err := http.ReadResponse(in, nil)
		if err != nil || got.StatusCode != c.status {
			t.Fatalf("%s: response %v, %v; want status %d", c.path, got, err, c.status)
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			t.Errorf("the connection stays open: %v", err)
		}
		_ = conn.Close()
	}
}
