package server

import (
	"bytes"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// connections bounds the connections of an http.Server. At the limit, it closes the one that
// has waited longest for its next request, but before it those whose first request takes too
// long. It also bounds the memory of the headers that have arrived in part,
// and closes the connection with the most: one with less than its even part is never closed.
type connections struct {
	max          int
	maxHeaders   int           // bytes of memory
	isEncrypted  bool          // by TLS
	firstRequest time.Duration // at the limit, for the first request of a connection

	mu      sync.Mutex
	open    int
	idle    map[net.Conn]time.Time // between requests, since when
	fresh   map[net.Conn]time.Time // before their first request is complete, since when
	partial map[*boundedConn]int   // bytes of memory that headers take
	headers int                    // the sum of partial
	room    *sync.Cond             // fewer than max are open, or the listener is closed
	done    bool
}

func newConnections(most, maxHeaders int) *connections {
	c := &connections{max: most, maxHeaders: maxHeaders, firstRequest: host.FirstRequest, idle: map[net.Conn]time.Time{}, fresh: map[net.Conn]time.Time{}, partial: map[*boundedConn]int{}}
	c.room = sync.NewCond(&c.mu)
	return c
}

// boundedListener accepts a connection once there is room for it.
type boundedListener struct {
	net.Listener
	connections *connections
}

// Accept waits for a connection, and then for room.
func (l boundedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if !l.connections.enter() {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	c := &boundedConn{Conn: conn, of: l.connections}
	c.leave = sync.OnceFunc(func() { l.connections.leave(c) })
	return c, nil
}

// Close also ends Accept's wait for room.
func (l boundedListener) Close() error {
	c := l.connections
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
	c.room.Broadcast()
	return l.Listener.Close()
}

// boundedConn makes room when it is closed, and counts what headers take.
type boundedConn struct {
	net.Conn
	of     *connections
	leave  func()
	isBusy bool // with a request whose headers are complete; of.mu protects it
}

// Read also closes connections when too many headers have arrived in part.
func (c *boundedConn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	for _, large := range c.of.count(c, p[:n]) {
		_ = large.Close()
	}
	return n, err
}

func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.leave()
	return err
}

// enter waits for room. It reports false if the listener is closed.
func (c *connections) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.open >= c.max && !c.done {
		if oldest := c.oldest(); oldest != nil {
			delete(c.idle, oldest)
			delete(c.fresh, oldest)
			c.mu.Unlock()
			_ = oldest.Close() // calls leave
			c.mu.Lock()
			continue
		}
		look := time.AfterFunc(c.firstRequest/4, c.lookAgain)
		c.room.Wait()
		look.Stop()
	}
	c.open++
	return !c.done
}

// lookAgain wakes enter: a first request may have taken too long.
func (c *connections) lookAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.room.Broadcast()
}

// oldest returns the connection to close next, or nil to wait: no connection is idle or late,
// or most are new, so that one of them is likely to be late soon.
func (c *connections) oldest() net.Conn {
	if fresh := oldestOf(c.fresh); fresh != nil && time.Since(c.fresh[fresh]) >= c.firstRequest {
		return fresh
	}
	if len(c.fresh) > c.max/2 {
		return nil
	}
	return oldestOf(c.idle)
}

func oldestOf(conns map[net.Conn]time.Time) (oldest net.Conn) {
	for conn, since := range conns {
		if oldest == nil || since.Before(conns[oldest]) {
			oldest = conn
		}
	}
	return oldest
}

// memoryOf estimates the memory of a part of headers. In the map that net/http makes of them,
// each takes about 128 bytes besides its text. Lines that are encrypted cannot be counted.
func (c *connections) memoryOf(headers []byte) int {
	if c.isEncrypted {
		return 4 * len(headers)
	}
	return len(headers) + 128*bytes.Count(headers, []byte("\n"))
}

// count adds what has arrived on a connection to its headers. It returns the connections to
// close, because there are too many partial headers.
func (c *connections) count(conn *boundedConn, arrived []byte) (large []*boundedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.isBusy || len(arrived) == 0 {
		return nil
	}
	n := c.memoryOf(arrived)
	c.partial[conn] += n
	c.headers += n
	for c.headers > c.maxHeaders {
		largest := conn
		for conn, n := range c.partial {
			if n > c.partial[largest] {
				largest = conn
			}
		}
		c.forget(largest)
		large = append(large, largest)
	}
	return large
}

// forget forgets the headers of a connection.
func (c *connections) forget(conn *boundedConn) {
	c.headers -= c.partial[conn]
	delete(c.partial, conn)
}

func (c *connections) leave(conn *boundedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(conn)
	conn.isBusy = true // what it still reads is not kept
	c.open--
	c.room.Signal()
}

// note is the http.Server's ConnState.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	raw := conn
	if secure, ok := conn.(*tls.Conn); ok {
		raw = secure.NetConn()
	}
	bounded := raw.(*boundedConn)
	c.forget(bounded)
	bounded.isBusy = state != http.StateNew && state != http.StateIdle
	delete(c.idle, conn)
	delete(c.fresh, conn)
	switch state {
	case http.StateNew:
		c.fresh[conn] = time.Now()
	case http.StateIdle:
		c.idle[conn] = time.Now()
	default:
		return
	}
	c.room.Signal() // there is one to close
}
