// Package gate bounds what one request can make the host hold, store or wait
// for. Its constants are all limits of the host, and Limits describes them; a test tries to
// exceed each. It does not referee between callers: a host serves an author,
// or a team on a network that it trusts.
package gate

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/net/netutil"
)

// Listen bounds the connections of a listener. Others wait.
func Listen(l net.Listener) net.Listener { return netutil.LimitListener(l, MaxConnections) }

// Bound sets the limits of a server. Clients of HTTP/1 have one request at a time on a
// connection, so that the limit of connections applies to requests, too.
func Bound(s *http.Server) {
	const slack = 4 << 10 // that net/http adds
	s.Protocols = &http.Protocols{}
	s.Protocols.SetHTTP1(true)
	s.ReadHeaderTimeout, s.IdleTimeout, s.MaxHeaderBytes = HeaderTimeout, KeepAlive, MaxHeaderBytes-slack
}

// ErrSlow is the error of reading a body of which nothing arrived for IdleTimeout.
var ErrSlow = errors.New("nothing arrived in time")

// Idle is a connection during a request. Its client must send and accept each part in time.
type Idle struct {
	Timeout time.Duration // for each part; streams have less

	control *http.ResponseController
}

// NewIdle gives the client of a request a time, such as IdleTimeout, for each part of its body and of the
// response. Responses that are still to be written have no deadline: a handler may take as long
// as it needs, and each part of a response sets the deadline again.
func NewIdle(w http.ResponseWriter, r *http.Request, timeout time.Duration) *Idle {
	i := &Idle{Timeout: timeout, control: http.NewResponseController(w)}
	if r.Body != nil && r.ContentLength != 0 {
		i.send(i.Timeout)
		r.Body = &idleBody{r.Body, i}
	}
	return i
}

// Write writes to w in parts that the client must accept in time.
func (i *Idle) Write(w io.Writer, p []byte) (n int, err error) {
	for {
		i.accept(i.Timeout)
		written, err := w.Write(p[n:min(n+partSize, len(p))])
		n += written
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// Flush flushes the response.
func (i *Idle) Flush() error {
	i.accept(i.Timeout)
	return i.control.Flush()
}

// End sets the deadlines for what the server reads of a body that the handler left, and for what
// it writes after that, before the connection can be used again.
func (i *Idle) End(r *http.Request) {
	if body, ok := r.Body.(*idleBody); ok && body.idle != nil {
		i.send(restOfBody)
		i.accept(restOfBody + i.Timeout)
	}
}

// accept sets the deadline for what is written. The server removes it after the response.
func (i *Idle) accept(d time.Duration) {
	_ = i.control.SetWriteDeadline(time.Now().Add(d)) // not supported by recorders of tests
}

// send sets the deadline for what is read.
func (i *Idle) send(d time.Duration) { _ = i.control.SetReadDeadline(time.Now().Add(d)) }

// idleBody is a body of which each part must arrive in time.
type idleBody struct {
	io.ReadCloser
	idle *Idle // nil once all of the body was read
}

// Read implements io.Reader.
func (b *idleBody) Read(p []byte) (n int, err error) {
	if b.idle == nil {
		return b.ReadCloser.Read(p)
	}
	b.idle.send(b.idle.Timeout)
	n, err = b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		_ = b.idle.control.SetReadDeadline(time.Time{}) // the server looks whether the client leaves
		b.idle = nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = ErrSlow
	}
	return n, err
}
