package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// packet is what the test backend sends.
type packet struct{ PID, N int }

// packetOf decodes the data of a server-sent event.
func packetOf(t *testing.T, event string) (p packet) {
	t.Helper()
	data, ok := strings.CutPrefix(event, "data: ")
	if err := json.Unmarshal([]byte(data), &p); err != nil || !ok {
		t.Fatalf("event %q: %v", event, err)
	}
	return p
}

// liveServer serves a fixture with a data source.
func liveServer(t *testing.T) (*fixture, *httptest.Server) {
	t.Helper()
	f := withPlugin(t)
	f.CheckStreams(10 * time.Millisecond)
	want[object](t, f, 200, "POST", "/api/datasources", f.admin, `{"uid":"one","name":"one","type":"`+pluginID+`","secureJsonData":{"key":"s3cret"}}`)
	server := httptest.NewServer(f.API)
	t.Cleanup(server.Close)
	t.Cleanup(f.EndStreams)
	return f, server
}

func TestLiveEvents(t *testing.T) {
	t.Parallel()
	f, server := liveServer(t)
	const target = "/api/live/events?channel=ds/one/numbers"
	s := open(t, server, target, f.viewer, "")
	if got := s.next(t); got != ": connected\n" || s.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("the stream begins with %q, %v", got, s.Header)
	}
	if got := s.next(t); !strings.Contains(got, `"UID":"one"`) || !strings.Contains(got, `"Role":"Viewer"`) {
		t.Errorf("what the plugin sends first: %s", got)
	}
	first := packetOf(t, s.next(t))
	for n := first.N + 1; n < first.N+20; n++ {
		if got := packetOf(t, s.next(t)); got != (packet{first.PID, n}) {
			t.Fatalf("got %+v, want number %d of process %d", got, n, first.PID)
		}
	}
	// A swap moves the stream to the next process.
	want[object](t, f, 200, "POST", "/api/plugins/"+pluginID+"/restart", f.admin, "")
	last := first
	for last.PID == first.PID {
		last = packetOf(t, s.next(t))
	}
	if got := packetOf(t, s.next(t)); last.N != 0 || got.N != 1 {
		t.Errorf("the next process begins with %+v, %+v", last, got)
	}
	// A client without the data source is disconnected.
	want[object](t, f, 200, "DELETE", "/api/datasources/uid/one", f.admin, "")
	if _, err := io.Copy(io.Discard, s.lines); err != nil {
		t.Error(err)
	}
	for path, status := range map[string]int{
		target: 404, "/api/live/events": 400, "/api/live/events?channel=ds/x": 400, "/api/live/events?channel=grafana/dashboard/x": 404,
		"/api/live/events?channel=2/ds/one/x": 403, "/api/live/events?channel=plugin/" + pluginID + "/missing": 404, "/api/live/events?channel=plugin/other/x": 404,
		"/api/live/events?channel=plugin/" + pluginID + "/echo&data=%7B": 400,
	} {
		f.check(t, "", status, "GET", path, f.viewer, "")
	}
}

// What a client sends with an event stream reaches the plugin.
func TestLiveEventsData(t *testing.T) {
	t.Parallel()
	f, server := liveServer(t)
	const data = `{"expr":"a + b & c"}`
	s := open(t, server, "/api/live/events?channel=ds/one/echo&data="+url.QueryEscape(data), f.viewer, "")
	s.next(t)
	if got := s.next(t); got != "data: "+data+"\n" {
		t.Errorf("got %q", got)
	}
}

// An event stream ends soon after its token was deleted.
func TestLiveRevoked(t *testing.T) {
	t.Parallel()
	f, server := liveServer(t)
	account := want[object](t, f, 201, "POST", "/api/serviceaccounts", f.admin, `{"name":"short","role":"Viewer"}`)
	path := fmt.Sprintf("/api/serviceaccounts/%v/tokens", account["id"])
	token := want[object](t, f, 200, "POST", path, f.admin, `{"name":"t"}`)
	s := open(t, server, "/api/live/events?channel=plugin/"+pluginID+"/numbers", "Bearer "+token["key"].(string), "")
	s.next(t)
	want[object](t, f, 200, "DELETE", fmt.Sprintf("%s/%v", path, token["id"]), f.admin, "")
	if _, err := io.Copy(io.Discard, s.lines); err != nil {
		t.Error(err)
	}
}

func TestLivePublish(t *testing.T) {
	t.Parallel()
	f, server := liveServer(t)
	for _, c := range []struct {
		body   string
		status int
	}{
		{`{"channel":"ds/one/numbers","data":1}`, 403},
		{`{"channel":"ds/none/chat","data":1}`, 404},
		{`{"channel":"nonsense","data":1}`, 400},
		{`{"channel":"ds/one/chat","data":{"text":"hi"}}`, 200},
	} {
		f.check(t, "", c.status, "POST", "/api/live/publish", f.viewer, c.body)
	}
	s := open(t, server, "/api/live/events?channel=ds/one/chat", f.viewer, "")
	s.next(t)
	s.next(t)
	want[object](t, f, 200, "POST", "/api/live/publish", f.editor, `{"channel":"1/ds/one/chat","data":{"text":"hi"}}`)
	for !strings.Contains(s.next(t), `{"text":"hi"}`) {
	}
}

// A request whose identity As has set, without credentials, remains open as others do.
func TestLiveEventsAs(t *testing.T) {
	t.Parallel()
	f, _ := liveServer(t)
	server := httptest.NewServer(f.As(host.Identity{OrgID: org, Role: host.RoleViewer}))
	t.Cleanup(server.Close)
	t.Cleanup(f.EndStreams)
	s := open(t, server, "/api/live/events?channel=ds/one/numbers", "", "")
	s.next(t) // connected
	s.next(t) // what the plugin sends first
	first, start := packetOf(t, s.next(t)), time.Now()
	for last := first; time.Since(start) < 200*time.Millisecond; { // about 20 checks
		if last = packetOf(t, s.next(t)); last.PID != first.PID {
			t.Fatalf("got %+v after %+v", last, first)
		}
	}
}
