package api_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// stream reads the event stream of a server.
type stream struct {
	*http.Response
	lines *bufio.Reader
}

func connect(t *testing.T, server *httptest.Server, credential, seen string) stream {
	t.Helper()
	return open(t, server, "/api/plugins/events", credential, seen)
}

// open opens the stream of a target.
func open(t *testing.T, server *httptest.Server, target, credential, seen string) stream {
	t.Helper()
	r := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+target, nil))(t)
	r.Header.Set("Authorization", credential)
	if seen != "" {
		r.Header.Set("Last-Event-ID", seen)
	}
	resp := testkit.Must(http.DefaultClient.Do(r))(t)
	t.Cleanup(func() { resp.Body.Close() })
	return stream{resp, bufio.NewReader(resp.Body)}
}

// next returns the next event or comment.
func (s stream) next(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for {
		line, err := s.lines.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %q", err, text.String())
		}
		if line == "\n" {
			return text.String()
		}
		text.WriteString(line)
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	server := httptest.NewServer(f.API)
	t.Cleanup(server.Close)
	admin, viewer := connect(t, server, f.admin, ""), connect(t, server, f.viewer, "")
	if got := admin.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("media type %s", got)
	}
	for _, s := range []stream{admin, viewer} {
		if got := s.next(t); got != ": connected\n" {
			t.Fatalf("the stream begins with %q", got)
		}
	}
	f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: "acme-x-panel", Version: "1.0.0", Changed: []string{"frontend"}})
	f.Announce(hostapi.PluginEvent{Name: api.EventFailed, ID: "acme-x-panel", Version: "1.0.0", Reason: "a\nb"})
	ready := "id: 1700000000000\nevent: plugin-ready\n" +
		`data: {"event":"plugin-ready","id":"acme-x-panel","version":"1.0.0","changed":["frontend"],"time":"` + f.clock().Format(time.RFC3339Nano) + "\"}\n"
	failed := strings.NewReplacer("0000\n", "0001\n", "ready", "failed", `["frontend"]`, "[]").Replace(ready)
	for _, s := range []stream{admin, viewer} {
		if got := s.next(t); got != ready {
			t.Errorf("got %s\nwant %s", got, ready)
		}
	}
	if got, want := admin.next(t), strings.Replace(failed, `"}`, `","reason":"a\nb"}`, 1); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := viewer.next(t); got != failed {
		t.Errorf("a viewer gets %s\nwant %s", got, failed)
	}
	again := connect(t, server, f.viewer, "1700000000000")
	if got := again.next(t) + again.next(t); got != ": connected\n"+failed {
		t.Errorf("after the first event: %s", got)
	}
	fresh := connect(t, server, f.viewer, "not a number")
	if got := fresh.next(t); got != ": connected\n" {
		t.Errorf("a new client: %s", got)
	}
	f.EndStreams()
	for _, s := range []stream{admin, viewer, again, fresh} {
		if rest, err := io.ReadAll(s.lines); err != nil || len(rest) > 0 {
			t.Errorf("at the end: %q, %v", rest, err)
		}
	}
	if got := f.do("HEAD", "/api/plugins/events", f.viewer, ""); got.status != 200 || got.body != "" {
		t.Errorf("HEAD: %+v", got)
	}
}

// Streams are bounded in time, and none outlives its client. The test is not
// parallel, so that no other test has a stream.
func TestEventBounds(t *testing.T) {
	f := newFixture(t)
	server := httptest.NewServer(f.API)
	t.Cleanup(server.Close)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	request := testkit.Must(http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/plugins/events", nil))(t)
	request.Header.Set("Authorization", f.viewer)
	if resp, err := http.DefaultClient.Do(request); err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v %v", resp, err)
	}
	leave()
	for api.Feeds(f.API) > 0 {
		time.Sleep(time.Millisecond)
	}
	api.SetFeedTimes(f.API, time.Millisecond, 20*time.Millisecond)
	got := f.do("GET", "/api/plugins/events", f.viewer, "")
	if got.status != 200 || !strings.HasPrefix(got.body, ": connected\n\n: waiting\n\n") {
		t.Errorf("a stream at the end of its life: %+v", got)
	}
	for stacks := make([]byte, 1<<20); bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("pluginEvents")); {
		time.Sleep(time.Millisecond)
	}
}

// A client that does not read is disconnected; nothing waits for it.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	reading := &stuck{ResponseRecorder: httptest.NewRecorder(), writing: make(chan bool), release: make(chan bool)}
	r := httptest.NewRequest(http.MethodGet, "/api/plugins/events", nil)
	r.Header.Set("Authorization", f.viewer)
	done := make(chan bool)
	go func() {
		f.ServeHTTP(reading, r)
		close(done)
	}()
	<-reading.writing
	for api.Feeds(f.API) > 0 { // Announce never blocks
		f.Announce(hostapi.PluginEvent{Name: api.EventReady, ID: "acme-x-panel"})
	}
	close(reading.release)
	<-done
	if reading.longest <= 0 || reading.longest > 10*time.Second {
		t.Errorf("a client has %s to accept an event", reading.longest)
	}
}

// stuck blocks in Write until it is released.
type stuck struct {
	*httptest.ResponseRecorder
	writing, release chan bool
	longest          time.Duration // until a deadline
}

// SetWriteDeadline is used by http.ResponseController.
func (s *stuck) SetWriteDeadline(deadline time.Time) error {
	s.longest = max(s.longest, time.Until(deadline))
	return nil
}

func (s *stuck) Write(p []byte) (int, error) {
	select {
	case s.writing <- true:
	case <-s.release:
	}
	<-s.release
	return s.ResponseRecorder.Write(p)
}
