package api_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/store"
)

// TestBodiesInFlight sends a body while other requests hold the memory for bodies.
func TestBodiesInFlight(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.SetWriteTime(time.Minute, 10*time.Millisecond)
	small := `{"name":"p","interval":"5m"}`
	large := `{"name":"p","interval":"5m","pad":"` + strings.Repeat("x", host.FreeBody) + `"}`
	for _, caller := range []string{"a", "b"} { // each gets half
		release, err := f.HoldBodies(t.Context(), caller, host.MaxBodies)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		got := f.do("POST", "/api/playlists", f.editor, large)
		if want := map[string]int{"a": 200, "b": 503}[caller]; got.status != want {
			t.Errorf("after %s took its half: %+v, want status %d", caller, got, want)
		}
		if got.status == 503 && (got.header.Get("Retry-After") != "2" || got.message() != "the host holds too much memory for request bodies; try again later") {
			t.Errorf("%+v", got)
		}
		if got := f.do("POST", "/api/playlists", f.editor, small); got.status != 200 {
			t.Errorf("a small body after %s took its half: %+v", caller, got)
		}
		// Its inputs can make a small body large.
		got = f.do("POST", "/api/dashboards/import", f.editor, `{"dashboard":{"title":"d"}}`)
		if want := map[string]int{"a": 200, "b": 503}[caller]; got.status != want {
			t.Errorf("an import after %s took its half: %+v, want status %d", caller, got, want)
		}
	}
}

// TestCallerHoldsItsHalf keeps one caller from taking what is left to others.
func TestCallerHoldsItsHalf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.SetWriteTime(time.Minute, 10*time.Millisecond)
	hold := func(caller string, bytes int64) (func(), string) {
		release, err := f.HoldBodies(t.Context(), caller, bytes)
		if err != nil {
			release()
			return nil, err.Error()
		}
		return release, ""
	}
	first, _ := hold("a", host.MaxBodies/2)
	if _, message := hold("a", 1); message != "your other requests hold too much memory for request bodies; try again later" {
		t.Errorf("beyond the half of a caller: %q", message)
	}
	other, message := hold("b", host.MaxBodies/2)
	if message != "" {
		t.Errorf("another caller: %s", message)
	}
	first()
	if again, message := hold("a", 1); message != "" {
		t.Errorf("after the first request: %s", message)
	} else {
		again()
	}
	other()
}

// TestRequestsInProgress sends requests whose bodies do not end, with credentials and without.
func TestRequestsInProgress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for path, authorization := range map[string]string{"/api/playlists": f.editor, "/api/session": ""} {
		send := func(authorization, network string, body io.Reader) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), "POST", path, body)
			r.Host, r.RemoteAddr = "localhost", network+":1"
			r.Header.Set("Authorization", authorization)
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			return w
		}
		var running sync.WaitGroup
		var bodies []*io.PipeWriter
		for range host.MaxCallerRequests {
			body, rest := io.Pipe()
			running.Go(func() { send(authorization, "192.0.2.1", body) })
			if _, err := io.WriteString(rest, "{"); err != nil { // returns once the host reads it
				t.Fatal(err)
			}
			bodies = append(bodies, rest)
		}
		const want = "512 of your requests are in progress; wait for one of them to end"
		if got := send(authorization, "192.0.2.1", strings.NewReader("{}")); got.Code != 429 || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s, one more: %d %s", path, got.Code, got.Body)
		}
		other := map[string]string{"/api/playlists": f.viewer}[path]
		if got := send(other, "192.0.2.2", strings.NewReader("{}")); got.Code == 429 {
			t.Errorf("%s, another caller: %s", path, got.Body)
		}
		for _, rest := range bodies {
			_ = rest.Close()
		}
		running.Wait()
		if got := send(authorization, "192.0.2.1", strings.NewReader("{}")); got.Code == 429 {
			t.Errorf("%s, after they ended: %s", path, got.Body)
		}
	}
}

// TestPagesInProgress requests pages that take long, without credentials.
func TestPagesInProgress(t *testing.T) {
	t.Parallel()
	begun, end := make(chan bool), make(chan bool)
	a, err := api.New(api.Options{Store: newFixture(t).store, Pages: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			begun <- true
			<-end
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	var running sync.WaitGroup
	start := func(network string) (status int) { // 0 if the page begins
		r := httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/page", nil)
		r.RemoteAddr = network + ":1"
		done := make(chan int, 1)
		running.Go(func() {
			w := httptest.NewRecorder()
			a.ServeHTTP(w, r)
			done <- w.Code
		})
		select {
		case <-begun:
			return 0
		case status := <-done:
			return status
		}
	}
	for n := range host.MaxCallerRequests {
		if got := start("192.0.2.1"); got != 0 {
			t.Errorf("after %d pages: status %d", n, got)
		}
	}
	if got := start("192.0.2.1"); got != http.StatusTooManyRequests {
		t.Errorf("one more: status %d, want 429", got)
	}
	if got := start("192.0.2.2"); got != 0 {
		t.Errorf("another network: status %d", got)
	}
	close(end)
	running.Wait()
}

// TestClientThatDoesNotRead requests a large response and reads nothing of it.
func TestClientThatDoesNotRead(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.SetWriteTime(50*time.Millisecond, time.Minute)
	const size = 2 << 20 // more than the kernel buffers
	model := fmt.Sprintf(`{"title":"d","pad":%q}`, strings.Repeat("x", size))
	d, err := host.ParseDashboard("", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	if d, err = f.store.SaveDashboard(t.Context(), org, d, store.Save{}); err != nil {
		t.Fatal(err)
	}
	server := serveUnbuffered(t, f)
	request := "GET /api/dashboards/uid/" + d.UID + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + f.viewer + "\r\n\r\n"
	var stuck []net.Conn
	for range 4 {
		c, err := dialUnbuffered(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		fmt.Fprint(c, strings.TrimSuffix(request, "\r\n")+"Connection: close\r\n\r\n") // if a busy host refuses it
		stuck = append(stuck, c)
	}
	for _, c := range stuck {
		// Until the log has the requests: the host has given up, or was too busy to begin.
		for strings.Count(f.log.String(), "msg=request ") < len(stuck) {
			time.Sleep(10 * time.Millisecond)
		}
		if n, err := io.Copy(io.Discard, c); n >= size {
			t.Errorf("the whole response was kept for a client that did not read: %d bytes, %v", n, err)
		}
	}
	if f.HeldResponses() {
		t.Error("responses are still held")
	}
	// A client that reads gets all of it, and uses the connection again after the time.
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 {
		fmt.Fprint(c, strings.Replace(request, "/api/dashboards/uid/"+d.UID, "/api/playlists", 1))
		text := make([]byte, 4096)
		if n, err := c.Read(text); err != nil || !strings.Contains(string(text[:n]), "200 OK") {
			t.Errorf("%v: %s", err, text[:n])
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// serveUnbuffered serves h on connections for which the kernel buffers little, so that a response
// of 1 MiB already waits for a client from dialUnbuffered.
func serveUnbuffered(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(32 << 10); err != nil {
			t.Error(err)
		}
		return ctx
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func dialUnbuffered(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return c, c.(*net.TCPConn).SetReadBuffer(32 << 10)
}

// TestPageResponses takes the memory for responses as a page does.
func TestPageResponses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, err := api.New(api.Options{Store: f.store, Pages: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			page := w.(interface {
				HoldResponse(ctx context.Context, caller string, bytes int) (release func(), err error)
			})
			release, err := page.HoldResponse(r.Context(), "page admin", host.MaxResponses)
			if err != nil {
				t.Error(err)
				return
			}
			if small, err := page.HoldResponse(r.Context(), "page admin", host.FreeResponse); err != nil {
				t.Error(err)
			} else {
				small()
			}
			release()
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	a.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "http://localhost/page", nil))
	if a.HeldResponses() {
		t.Error("the memory was not returned")
	}
}
