package server

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestConnections opens connections beyond the maximum: an idle one is closed in favor of
// a new one, and one with a request in progress is not.
func TestConnections(t *testing.T) {
	t.Parallel()
	const most = 4
	bound := newConnections(most)
	release := make(chan bool)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/wait" {
			<-release
		}
		fmt.Fprint(w, "ok")
	}))
	s.Config.ConnState = bound.note
	s.Listener = boundedListener{s.Listener, bound}
	s.Start()
	t.Cleanup(s.Close)

	dial := func(path string) net.Conn {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		return c
	}
	read := func(c net.Conn) (string, error) {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		text := make([]byte, 1024)
		n, err := c.Read(text)
		return string(text[:n]), err
	}
	// waitIdle waits until the server knows that n connections are idle: a client can read
	// the response earlier.
	waitIdle := func(n int) {
		for {
			bound.mu.Lock()
			known := len(bound.idle)
			bound.mu.Unlock()
			if known == n {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	waiting := dial("/wait")
	var idle []net.Conn
	for range most - 1 {
		c := dial("/")
		if text, err := read(c); err != nil {
			t.Fatalf("within the maximum: %v %s", err, text)
		}
		idle = append(idle, c)
		waitIdle(len(idle))
	}
	for range 3 * most { // each takes the place of the one that has been idle longest
		c := dial("/")
		if text, err := read(c); err != nil {
			t.Fatalf("beyond the maximum: %v %s", err, text)
		}
		if _, err := read(idle[0]); err != io.EOF {
			t.Errorf("the connection that was idle longest: %v", err)
		}
		idle = append(idle[1:], c)
		waitIdle(len(idle))
	}
	busy := []net.Conn{dial("/wait"), dial("/wait"), dial("/wait")}
	last := dial("/") // has to wait for one of them
	close(release)
	for _, c := range append(busy, waiting, last) {
		if text, err := read(c); err != nil {
			t.Errorf("a request in progress: %v %s", err, text)
		}
	}
	bound.mu.Lock()
	defer bound.mu.Unlock()
	if bound.open > most {
		t.Errorf("%d connections are open", bound.open)
	}
}

// The headers of a request are bounded.
func TestHeaderBytes(t *testing.T) {
	t.Parallel()
	s := open(t, testOptions(t))
	for size, want := range map[int]int{30 << 10: http.StatusOK, 48 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/api/health", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X", strings.Repeat("x", size))
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%d bytes: status %d, want %d", size, res.StatusCode, want)
		}
	}
}
