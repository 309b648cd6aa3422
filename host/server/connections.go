package server

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections bounds the connections of an http.Server. At the limit, it closes
// the one that has waited longest for its next request.
type connections struct {
	max int

	mu   sync.Mutex
	open int
	idle map[net.Conn]time.Time // since when
	room *sync.Cond             // fewer than max are open, or the listener is closed
	done bool
}

func newConnections(most int) *connections {
	c := &connections{max: most, idle: map[net.Conn]time.Time{}}
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
	return &boundedConn{Conn: conn, leave: sync.OnceFunc(l.connections.leave)}, nil
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

// boundedConn makes room when it is closed.
type boundedConn struct {
	net.Conn
	leave func()
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
		if oldest := c.oldestIdle(); oldest != nil {
			delete(c.idle, oldest)
			c.mu.Unlock()
			_ = oldest.Close() // calls leave
			c.mu.Lock()
			continue
		}
		c.room.Wait()
	}
	c.open++
	return !c.done
}

func (c *connections) oldestIdle() (oldest net.Conn) {
	for conn, since := range c.idle {
		if oldest == nil || since.Before(c.idle[oldest]) {
			oldest = conn
		}
	}
	return oldest
}

func (c *connections) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.room.Signal()
}

// note is the http.Server's ConnState.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateIdle {
		delete(c.idle, conn)
		return
	}
	c.idle[conn] = time.Now()
	c.room.Signal() // there is one to close
}
