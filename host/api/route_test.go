package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// serverOf serves a table of routes.
func serverOf(t *testing.T, log io.Writer, routes ...Route) *httptest.Server {
	t.Helper()
	s := testkit.Must(store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "slipway.db")}))(t)
	t.Cleanup(func() { s.Close() })
	a := testkit.Must(New(Options{Store: s, Logger: slog.New(slog.NewTextHandler(log, nil))}))(t)
	a.mux = testkit.Must(a.newMux(routes))(t)
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	return server
}

func TestTableIsRefused(t *testing.T) {
	t.Parallel()
	nothing := raw(func(http.ResponseWriter, *http.Request, host.Identity) error { return nil })
	playlist := call(func(context.Context, host.Identity, playlistPath) (message, error) { return message{}, nil })
	for name, routes := range map[string][]Route{
		"no parameter":  {{"GET", "/a", public(), playlist, doc{}}},
		"no permission": {{"GET", "/a", permission{}, nothing, doc{}}},
		"no action":     {{"GET", "/a", action(), nothing, doc{}}},
		"duplicate":     {{"GET", "/a", public(), nothing, doc{}}, {"GET", "/a", signedIn(), nothing, doc{}}},
	} {
		if _, err := new(API).newMux(routes); err == nil || !strings.Contains(err.Error(), "GET /a") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("New accepts a missing store")
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	more := make(chan bool)
	server := serverOf(t, io.Discard, Route{"", "/stream/{path...}", public(),
		raw(func(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
			_, _ = io.WriteString(w, r.Method+" "+r.PathValue("path")+" first\n")
			if err := http.NewResponseController(w).Flush(); err != nil {
				return err
			}
			<-more
			return errors.New("the plugin went away")
		}), doc{}})
	resp := testkit.Must(http.Post(server.URL+"/stream/a/b", "text/plain", nil))(t)
	defer resp.Body.Close()
	line := make([]byte, len("POST a/b first\n"))
	if _, err := io.ReadFull(resp.Body, line); err != nil || string(line) != "POST a/b first\n" {
		t.Fatalf("%q, %v", line, err)
	}
	close(more)
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("an incomplete response looks complete")
	}
}

func TestPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	server := serverOf(t, &log, Route{"GET", "/panic", public(),
		raw(func(http.ResponseWriter, *http.Request, host.Identity) error { panic("secret reason") }), doc{}})
	resp := testkit.Must(http.Get(server.URL + "/panic"))(t)
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	server.Close() // then nothing writes to log
	id := resp.Header.Get(requestIDHeader)
	if err != nil || resp.StatusCode != 500 || strings.Contains(string(body), "secret") || !strings.Contains(string(body), id) {
		t.Errorf("%d %s, %v", resp.StatusCode, body, err)
	}
	if text := log.String(); !strings.Contains(text, "secret reason") || !strings.Contains(text, "request_id="+id) || !strings.Contains(text, "route_test.go") {
		t.Errorf("log: %s", text)
	}
}

// TestCall covers all kinds of inputs and an output that chooses its status.
func TestCall(t *testing.T) {
	t.Parallel()
	type body struct {
		Name string `json:"name"`
	}
	type input struct {
		ID   int64    `path:"id"`
		UID  string   `path:"uid" noun:"Thing"`
		Text string   `query:"text"`
		Flag bool     `query:"flag"`
		Tags []string `query:"tag"`
		pageQuery
		Body body
	}
	var got input
	handler := call(func(_ context.Context, _ host.Identity, in input) (health, error) {
		got = in
		return health{Database: in.Body.Name}, nil
	})
	server := serverOf(t, io.Discard, Route{"POST", "/things/{id}/{uid}", public(), handler, doc{}})
	for _, c := range []struct {
		target, body string
		status       int
		want         string
	}{
		{"/things/7/a-b?text=x&flag=true&tag=1&tag=2&limit=3&page=4", `{"name":"ok"}`, 200, `{"database":"ok","version":"","commit":""}`},
		{"/things/7/a-b?text=x&flag=True&tag=1&tag=2&limit=3&page=4", `{"name":"ok"}`, 200, `{"database":"ok","version":"","commit":""}`},
		{"/things/7/a-b", `{"name":"failing"}`, 503, `{"database":"failing","version":"","commit":""}`},
		{"/things/0/a-b", `{}`, 400, `{"message":"id: must be a numeric id"}`},
		{"/things/7/a%20b", `{}`, 404, `{"message":"Thing not found"}`},
		{"/things/7/a?flag=yes", `{}`, 400, `{"message":"flag: must be true or false"}`},
		{"/things/7/a?limit=-1", `{}`, 400, `{"message":"limit: must be a non-negative integer"}`},
		{"/things/7/a?text=%00", `{}`, 400, `{"message":"\"text\": must be valid UTF-8 without NUL"}`},
		{"/things/7/a", `{"name":1}`, 400, `{"message":"name: must be a string, found a number"}`},
	} {
		resp := testkit.Must(http.Post(server.URL+c.target, "application/json", strings.NewReader(c.body)))(t)
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.status || string(text) != c.want {
			t.Errorf("%s %s: %d %s, %v; want %d %s", c.target, c.body, resp.StatusCode, text, err, c.status, c.want)
		}
		if !strings.Contains(c.target, "tag=") {
			continue
		}
		want := input{ID: 7, UID: "a-b", Text: "x", Flag: true, Tags: []string{"1", "2"}, pageQuery: pageQuery{3, 4}, Body: body{"ok"}}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(input{})); diff != "" {
			t.Errorf("input (-want +got):\n%s", diff)
		}
	}
}
