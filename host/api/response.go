package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/host"
)

const requestIDHeader = "X-Request-Id"

// response records what the access log needs, gives the client a deadline for each part
// of the body, and holds the shares of the budgets that the request uses. Handlers can
// still flush and stream through http.ResponseController.
type response struct {
	http.ResponseWriter
	status int // 0 until the response has begun
	bytes  int64
	who    host.Identity

	control   *http.ResponseController // of ResponseWriter
	writeTime time.Duration            // for the client to accept host.WriteChunk bytes
	budgets   *budgets
	body      *share // nil until needed

	hasBody    bool // all of the body was read
	isHijacked bool // a WebSocket has its own deadlines
}

func newResponse(w http.ResponseWriter, b *budgets, writeTime time.Duration) *response {
	return &response{ResponseWriter: w, control: http.NewResponseController(w), budgets: b, writeTime: writeTime}
}

// end releases what the request holds. What is still to be written must be accepted
// within the deadline.
func (w *response) end() {
	w.allow(w.writeTime)
	if w.body != nil {
		w.body.release()
	}
}

// caller identifies the sender of the request.
func (w *response) caller() string { return callerOf(w.who) }

func callerOf(who host.Identity) string {
	return string(who.Kind) + " " + strconv.FormatInt(who.ID, 10)
}

// holdBody takes bytes of the budget for bodies until the request ends.
func (w *response) holdBody(ctx context.Context, bytes int64) error {
	if w.body == nil {
		w.body = w.budgets.bodies.share(w.caller())
	}
	return w.body.grow(ctx, bytes)
}

// HoldResponse takes the bytes of a response that a client may read slowly from the budget
// for responses, until release is called.
func (w *response) HoldResponse(ctx context.Context, caller string, bytes int) (release func(), err error) {
	if bytes <= host.FreeResponse {
		return func() {}, nil
	}
	held := w.budgets.responses.share(caller)
	if err := held.grow(ctx, int64(bytes)); err != nil {
		held.release()
		return nil, err
	}
	return held.release, nil
}

// allow sets the deadline for the client to accept what is written, or removes it if d is
// 0: with HTTP/2, it would also end a response that nothing is written to.
func (w *response) allow(d time.Duration) {
	if w.isHijacked {
		return
	}
	var deadline time.Time
	if d > 0 {
		deadline = time.Now().Add(d)
	}
	_ = w.control.SetWriteDeadline(deadline) // not supported by the recorder of tests
}

// Unwrap is used by http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack is used by http.ResponseController.
func (w *response) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := w.control.Hijack()
	if err == nil {
		w.isHijacked, w.status = true, http.StatusSwitchingProtocols
	}
	return conn, buffered, err
}

// WriteHeader records the final status.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body. The client must accept each host.WriteChunk of them
// within the deadline.
func (w *response) Write(p []byte) (n int, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	defer w.allow(0)
	for {
		part := p[n:min(n+host.WriteChunk, len(p))]
		w.allow(w.writeTime)
		written, err := w.ResponseWriter.Write(part)
		n, w.bytes = n+written, w.bytes+int64(written)
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is used by http.ResponseController.
func (w *response) FlushError() error {
	w.allow(w.writeTime)
	defer w.allow(0)
	return w.control.Flush()
}

func (w *response) requestID() string { return w.Header().Get(requestIDHeader) }

// requestID returns the id that the caller sent if it is safe to log, or else a new one.
func (a *API) requestID(r *http.Request) string {
	if id := r.Header.Get(requestIDHeader); host.IsUID(id) {
		return id
	}
	id, err := host.NewUID(a.random)
	if err != nil { // not worth failing the request
		return "none"
	}
	return id
}

// respond writes v as JSON.
func respond(ctx context.Context, w http.ResponseWriter, status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	return send(ctx, w, status, body)
}

func encode(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the response: %w", err)
	}
	return body, nil
}

// send writes a JSON text as the response.
func send(ctx context.Context, w http.ResponseWriter, status int, body []byte) error {
	out := w.(*response)
	release, err := out.HoldResponse(ctx, out.caller(), len(body))
	if err != nil {
		return err
	}
	defer release()
	setJSON(w.Header(), len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has left
	return nil
}

// setJSON sets the headers of a JSON response of length bytes.
func setJSON(h http.Header, length int) {
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(length))
	h.Set("Cache-Control", "no-store")
}

// message is the body of errors and of responses without other content.
type message struct {
	Message string `json:"message"`
	ID      string `json:"messageId,omitempty"`
	Status  string `json:"status,omitempty"` // the ID of a stale version, where published clients read it
}

// mapped returns the results of f for all elements, never nil.
func mapped[S, T any](in []S, f func(S) T) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
