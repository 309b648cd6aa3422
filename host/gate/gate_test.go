package gate_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/testkit"
)

// exchange sends a text to a server with a handler, and returns the connection.
func exchange(t *testing.T, text string, handler http.HandlerFunc) net.Conn {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	conn := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
	t.Cleanup(func() { _ = conn.Close() })
	testkit.Must(io.WriteString(conn, text))(t)
	return conn
}

// A body of which nothing arrives in time ends with ErrSlow. One that arrives in parts has the
// time for each, and the response after it has as long as the handler needs.
func TestIdleBody(t *testing.T) {
	t.Parallel()
	const wait = 200 * time.Millisecond
	handler := func(w http.ResponseWriter, r *http.Request) {
		idle := gate.NewIdle(w, r, wait)
		defer idle.End(r)
		body, err := io.ReadAll(r.Body)
		if err == nil {
			select {
			case <-time.After(2 * wait):
			case <-r.Context().Done():
				err = r.Context().Err()
			}
		}
		_, _ = fmt.Fprintf(w, "%s %v", body, errors.Is(err, gate.ErrSlow))
		if err != nil && !errors.Is(err, gate.ErrSlow) {
			t.Error(err)
		}
	}
	const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
	for _, c := range []struct {
		parts, want string
	}{{"1 2 3 4", "1234 false"}, {"1", "1 true"}} {
		conn := exchange(t, head, handler)
		for part := range strings.SplitSeq(c.parts, " ") {
			testkit.Must(io.WriteString(conn, part))(t)
			time.Sleep(wait / 2)
		}
		resp := testkit.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		if body, err := io.ReadAll(resp.Body); err != nil || string(body) != c.want {
			t.Errorf("%s: %s, %v; want %s", c.parts, body, err, c.want)
		}
	}
}

// A client that does not read loses its connection.
func TestIdleResponse(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	conn := exchange(t, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", func(w http.ResponseWriter, r *http.Request) {
		idle := gate.NewIdle(w, r, 100*time.Millisecond)
		defer idle.End(r)
		_, err := idle.Write(w, make([]byte, 64<<20))
		ended <- err
	})
	if err := <-ended; err == nil {
		t.Error("64 MiB were written")
	}
	if n, err := io.Copy(io.Discard, conn); n >= 64<<20 {
		t.Errorf("received %d bytes, %v", n, err)
	}
}
