package server

import (
	"bufio"
	"crypto/tls"
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
	bound := newConnections(most, 1<<20)
	bound.firstRequest = time.Hour
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

// Connections whose first request does not arrive make room for others, before idle ones.
func TestFirstRequest(t *testing.T) {
	t.Parallel()
	const most = 4
	bound := newConnections(most, 1<<20)
	bound.firstRequest = 20 * time.Millisecond
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	s.Config.ConnState = bound.note
	s.Listener = boundedListener{s.Listener, bound}
	s.Start()
	t.Cleanup(s.Close)
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
		return c
	}
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	respond := func(c net.Conn) error {
		_ = c.SetReadDeadline(time.Now().Add(time.Minute))
		_, err := http.ReadResponse(bufio.NewReader(c), nil)
		return err
	}
	first := dial(request)
	if err := respond(first); err != nil {
		t.Fatal(err)
	}
	for range most - 1 {
		dial("G")
	}
	for range most { // the server may accept the last of them after these
		time.Sleep(2 * bound.firstRequest)
		if err := respond(dial(request)); err != nil {
			t.Errorf("while others send a part of their first request: %v", err)
		}
	}
}

// The headers of a request are bounded.
func TestHeaderBytes(t *testing.T) {
	t.Parallel()
	s := open(t, testOptions(t))
	for size, want := range map[int]int{14 << 10: http.StatusOK, 24 << 10: http.StatusRequestHeaderFieldsTooLarge} {
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

// When too many headers have arrived in part, the connection with the most is closed. What is
// complete does not count.
func TestPartialHeaders(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*httptest.Server){"HTTP": (*httptest.Server).Start, "HTTPS": (*httptest.Server).StartTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const part = 80 << 10
			most := 256 << 10
			if name == "HTTPS" {
				most *= 4
			}
			bound := newConnections(100, most)
			bound.isEncrypted = name == "HTTPS"
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
			s.Config.ConnState = bound.note
			s.Listener = boundedListener{s.Listener, bound}
			start(s)
			t.Cleanup(s.Close)

			send := func(c net.Conn, text string) {
				if _, err := io.WriteString(c, text); err != nil {
					t.Fatal(err)
				}
			}
			respond := func(c net.Conn) error {
				_ = c.SetReadDeadline(time.Now().Add(time.Minute))
				_, err := http.ReadResponse(bufio.NewReader(c), nil)
				return err
			}
			// waitHeaders waits until headers that take at least n bytes have arrived on open connections.
			waitHeaders := func(open, n int) {
				for {
					bound.mu.Lock()
					conns, bytes := len(bound.partial), bound.headers
					bound.mu.Unlock()
					if conns == open && bytes >= n {
						return
					}
					time.Sleep(time.Millisecond)
				}
			}
			begin := func(bytes int) string { return "GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", bytes) }
			dial := func(bytes int) net.Conn {
				c, err := net.Dial("tcp", s.Listener.Addr().String())
				if err != nil {
					t.Fatal(err)
				}
				if s.TLS != nil {
					c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
				}
				t.Cleanup(func() { _ = c.Close() })
				send(c, begin(bytes))
				return c
			}
			first := dial(part)
			waitHeaders(1, part)
			second := dial(2 * part)
			waitHeaders(2, 3*part)
			third := dial(part) // together they exceed the bound
			if err := respond(second); err == nil {
				t.Error("the connection with the most was not closed")
			}
			waitHeaders(2, 2*part)
			body := strings.Repeat("x", 2*most)
			for _, c := range []net.Conn{first, third} {
				send(c, fmt.Sprintf("\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
				if err := respond(c); err != nil {
					t.Errorf("headers that end: %v", err)
				}
			}
			waitHeaders(0, 0)
			send(third, begin(part)) // of the next request on the connection
			waitHeaders(1, part)
			if s.TLS == nil { // lines take more than their bytes
				send(third, strings.Repeat("\r\nx:", most/128))
				if err := respond(third); err == nil {
					t.Error("a connection with many short headers was not closed")
				}
			}
		})
	}
}
