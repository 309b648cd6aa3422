package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const requestIDHeader = "X-Request-Id"

// response records what the access log needs, and gives the client a deadline for each part
// of the body. Handlers can still flush and stream through http.ResponseController.
type response struct {
	http.ResponseWriter
	status int // 0 until the response has begun
	bytes  int64
	who    host.Identity
	idle   *gate.Idle
}

// Unwrap is used by http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader records the final status.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body.
func (w *response) Write(p []byte) (n int, err error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err = w.idle.Write(w.ResponseWriter, p)
	w.bytes += int64(n)
	return n, err
}

// FlushError is used by http.ResponseController.
func (w *response) FlushError() error { return w.idle.Flush() }

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
func respond(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	send(w, status, body)
	return nil
}

// send writes a JSON text as the response.
func send(w http.ResponseWriter, status int, body []byte) {
	setJSON(w.Header(), len(body))
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has left
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
