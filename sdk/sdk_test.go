package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

// connect serves a plugin in memory and returns a client of it.
func connect(t *testing.T, p Plugin) *Client {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(ServerOptions(slog.New(slog.DiscardHandler))...)
	if err := p.Register(server); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///plugin", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return NewClient(conn)
}

type points struct {
	N int `json:"n"`
}

func TestEachQuery(t *testing.T) {
	t.Parallel()
	c := connect(t, Plugin{QueryData: EachQuery(func(ctx context.Context, q Query, m points) ([]Frame, error) {
		switch q.Type {
		case "panic":
			panic("oh")
		case "down":
			return nil, Downstream("the database is away", &net.DNSError{Err: "no such host", Name: "secret.internal"})
		case "nil frame":
			return []Frame{nil}, nil
		case "not UTF-8":
			return nil, errors.New("bad \xff bytes")
		}
		return []Frame{ArrowFrame(fmt.Sprintf("%d points of %s from %s", m.N, ContextOf(ctx).PluginID, q.TimeRange.From.UTC().Format(time.DateOnly)))}, nil
	})})
	from := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	answers, err := c.QueryData(t.Context(), &QueryDataRequest{
		Context: Context{PluginID: "p"},
		Queries: []Query{
			{RefID: "A", JSON: []byte(`{"n":3}`), TimeRange: TimeRange{From: from, To: from.Add(time.Hour)}},
			{RefID: "B", JSON: []byte(`{"n":"x"}`)},
			{RefID: "C", Type: "panic"},
			{RefID: "D", Type: "down"},
			{RefID: "E", Type: "nil frame"},
			{RefID: "F", Type: "not UTF-8"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if a := answers["A"]; a.Err != nil || a.Status != http.StatusOK || string(a.Frames[0].(ArrowFrame)) != "3 points of p from 2026-01-02" {
		t.Errorf("A: %+v", a)
	}
	for ref, want := range map[string]Error{
		"B": {Status: http.StatusBadRequest, Source: SourceDownstream, Message: "cannot be read"},
		"C": {Status: http.StatusInternalServerError, Source: SourcePlugin, Message: "its log says why"},
		"E": {Status: http.StatusInternalServerError, Source: SourcePlugin, Message: "could not write a frame"},
		"F": {Status: http.StatusInternalServerError, Source: SourcePlugin, Message: "bad \uFFFD bytes"},
		"D": {Status: http.StatusBadGateway, Source: SourceDownstream, Message: "the database is away"},
	} {
		var e *Error
		if !errors.As(answers[ref].Err, &e) || e.Status != want.Status || e.Source != want.Source || !strings.Contains(e.Message, want.Message) {
			t.Errorf("%s: %+v", ref, answers[ref])
		}
		if strings.Contains(fmt.Sprint(answers[ref].Err), "secret.internal") {
			t.Errorf("%s: the cause reached the wire: %v", ref, answers[ref].Err)
		}
	}
}

func TestQueryWithoutAnswer(t *testing.T) {
	t.Parallel()
	c := connect(t, Plugin{QueryData: func(context.Context, *QueryDataRequest) (QueryDataResponse, error) { return nil, nil }})
	answers, err := c.QueryData(t.Context(), &QueryDataRequest{Queries: []Query{{RefID: "A"}}})
	if err != nil || answers["A"].Err == nil {
		t.Errorf("%v, %v", answers, err)
	}
}

func TestUnsupportedCalls(t *testing.T) {
	t.Parallel()
	c := connect(t, Plugin{})
	_, queryErr := c.QueryData(t.Context(), &QueryDataRequest{})
	_, healthErr := c.CheckHealth(t.Context(), &CheckHealthRequest{})
	resourceErr := c.CallResource(t.Context(), &CallResourceRequest{}, nil)
	for _, err := range []error{queryErr, healthErr, resourceErr} {
		if !errors.Is(err, ErrUnsupported) {
			t.Errorf("%v", err)
		}
	}
}

func TestCheckHealth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		handle CheckHealthFunc
		want   CheckHealthResult
	}{
		{"ok", func(ctx context.Context, _ *CheckHealthRequest) (*CheckHealthResult, error) {
			return &CheckHealthResult{Status: HealthOK, Message: ContextOf(ctx).DataSource.URL, Details: []byte(`{"a":1}`)}, nil
		}, CheckHealthResult{Status: HealthOK, Message: "http://up", Details: []byte(`{"a":1}`)}},
		{"error", func(context.Context, *CheckHealthRequest) (*CheckHealthResult, error) {
			return nil, Errorf(http.StatusForbidden, "no access")
		}, CheckHealthResult{Status: HealthError, Message: "no access"}},
		{"nothing", func(context.Context, *CheckHealthRequest) (*CheckHealthResult, error) {
			return nil, nil
		}, CheckHealthResult{Status: HealthUnknown, Message: "the plugin gave no result"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := connect(t, Plugin{CheckHealth: c.handle}).CheckHealth(t.Context(), &CheckHealthRequest{
				Context: Context{DataSource: &DataSource{URL: "http://up"}},
			})
			if err != nil || got.Status != c.want.Status || got.Message != c.want.Message || !bytes.Equal(got.Details, c.want.Details) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	c := connect(t, Plugin{Resources: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/stream":
			for i := range 3 {
				fmt.Fprintf(w, "part %d;", i)
				if err := http.NewResponseController(w).Flush(); err != nil {
					panic(err)
				}
			}
		case "/error":
			WriteError(w, Errorf(http.StatusTeapot, `short "and" stout`))
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
	call := func(path string) (pieces []CallResourceResponse, err error) {
		err = c.CallResource(t.Context(), &CallResourceRequest{
			Method: http.MethodPost, Path: strings.SplitN(path, "?", 2)[0], URL: path,
			Header: http.Header{"X-Given": {"yes"}}, Body: []byte("hello"),
		}, func(p CallResourceResponse) error {
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
		{"error", "{\"message\":\"short \\\"and\\\" stout\"}\n", http.StatusTeapot, 1},
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

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLogger(&out, slog.LevelInfo).With("request", 7).WarnContext(t.Context(), "slow", "took", "1s", slog.Group("g", "level", "inner"), "msg", "mine", "level", "mine too")
	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["@level"] != "warn" || line["@message"] != "slow" || line["took"] != "1s" || line["msg_"] != "mine" || line["level_"] != "mine too" || line["request"] != 7.0 || line["g"].(map[string]any)["level"] != "inner" {
		t.Errorf("%s", &out)
	}
	if _, err := time.Parse(logTimeLayout, line["@timestamp"].(string)); err != nil {
		t.Error(err)
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer right" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"message":"invalid API key"}`)
			return
		}
		fmt.Fprintf(w, `[{"uid":"u","name":%q,"interval":"5m"}]`, r.URL.RequestURI())
	}))
	t.Cleanup(server.Close)
	for _, tc := range []struct{ base, token, want string }{
		{server.URL, "right", "/api/playlists?limit=2&query=a+b"},
		{server.URL + "/sub/", "right", "/sub/api/playlists?limit=2&query=a+b"},
	} {
		h, err := NewHost(tc.base, tc.token, server.Client())
		if err != nil {
			t.Fatal(err)
		}
		list, err := h.Playlists(t.Context(), PlaylistSearch{Query: "a b", Limit: 2})
		if err != nil || len(list) != 1 || list[0].Name != tc.want {
			t.Errorf("%v, %v", list, err)
		}
	}
	h, err := NewHost(server.URL, "wrong", server.Client())
	if err != nil {
		t.Fatal(err)
	}
	var e *HostError
	if _, err := h.Playlists(t.Context(), PlaylistSearch{}); !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.Message != "invalid API key" {
		t.Errorf("%v", err)
	}
	for _, bad := range []string{"", "nowhere", "ftp://x", "http://"} {
		if _, err := NewHost(bad, "t", nil); err == nil {
			t.Errorf("NewHost(%q) has no error", bad)
		}
	}
}

// Only the end of the caller's own context is a context's error: go-plugin cancels
// calls too, when a process has died.
func TestCallError(t *testing.T) {
	t.Parallel()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for code, want := range map[codes.Code]int{
		codes.Canceled: 502, codes.Unavailable: 502, codes.Internal: 500, codes.DeadlineExceeded: 504, codes.NotFound: 404,
	} {
		cause := status.Error(code, "unix /tmp/x: closed")
		e, ok := errors.AsType[*Error](callError(t.Context(), cause))
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
