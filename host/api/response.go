package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
)

const requestIDHeader = "X-Request-Id"

// response remembers what the access log needs. It hides nothing from
// http.ResponseController, so handlers can flush and stream.
type response struct {
	http.ResponseWriter
	status int // 0 until the answer has begun
	bytes  int64
	who    host.Identity
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader notes the final status.
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes of the body.
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

func (w *response) requestID() string { return w.Header().Get(requestIDHeader) }

// requestID takes over the id of a caller if it is safe to log, and makes one
// otherwise.
func (a *API) requestID(r *http.Request) string {
	if id := r.Header.Get(requestIDHeader); host.IsUID(id) {
		return id
	}
	id, err := host.NewUID(a.random)
	if err != nil { // an id is not worth a refused request
		return "none"
	}
	return id
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone is nobody's error
	return nil
}

// message is the body of an answer that has nothing else to say.
type message struct {
	Message string `json:"message"`
	ID      string `json:"messageId,omitempty"`
}

// mapped returns f of each element, never nil.
func mapped[S, T any](in []S, f func(S) T) []T {
	out := make([]T, len(in))
	for i, v := range in {
		out[i] = f(v)
	}
	return out
}
