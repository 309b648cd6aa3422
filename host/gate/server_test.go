package gate_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipway-dev/slipway/host/gate"
)

// pipes is a listener whose connections are in memory, so that time can be simulated.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial returns a new connection.
func (p pipes) dial() net.Conn {
	client, server := net.Pipe()
	p <- server
	return client
}

// serve runs a server with the limits, in a bubble, until the test ends.
func serve(t *testing.T) pipes {
	p := make(pipes)
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	gate.Bound(s)
	go func() { _ = s.Serve(p) }()
	t.Cleanup(func() {
		close(p)
		_ = s.Close()
		time.Sleep(time.Second) // after an error, the server waits for the client to read it
	})
	return p
}

func TestConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := make(pipes)
		l := gate.Listen(p)
		accepted := make(chan net.Conn, gate.MaxConnections+1)
		go func() {
			for range gate.MaxConnections + 1 {
				conn, err := l.Accept()
				if err != nil {
					t.Error(err)
				}
				accepted <- conn
			}
		}()
		go func() {
			for range gate.MaxConnections + 1 {
				p.dial()
			}
		}()
		synctest.Wait()
		if n := len(accepted); n != gate.MaxConnections {
			t.Fatalf("accepted %d connections, want %d", n, gate.MaxConnections)
		}
		_ = (<-accepted).Close()
		synctest.Wait()
		if n := len(accepted); n != gate.MaxConnections {
			t.Errorf("after one was closed, %d connections are open, want %d", n, gate.MaxConnections)
		}
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for size, want := range map[int]string{gate.MaxHeaderBytes - 100: "HTTP/1.1 200", gate.MaxHeaderBytes: "HTTP/1.1 431"} {
			conn := serve(t).dial()
			go func() {
				_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", size)+"\r\n\r\n")
			}()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.HasPrefix(line, want) {
				t.Errorf("%d bytes: %q, %v; want %s", size, line, err, want)
			}
			_ = conn.Close()
		}
	})
}

// A connection is closed if the headers of a request do not arrive in time, and if no other
// request does.
func TestTimes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want time.Duration
	}{
		"headers":      {"GET / HTTP/1.1\r\nHost: x\r\n", gate.HeaderTimeout},
		"next request": {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", gate.KeepAlive},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn := serve(t).dial()
				start := time.Now()
				go func() { _, _ = io.WriteString(conn, c.text) }()
				_, _ = io.Copy(io.Discard, conn)
				if took := time.Since(start); took != c.want {
					t.Errorf("the connection was closed after %s, want %s", took, c.want)
				}
			})
		})
	}
}
