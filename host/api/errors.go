package api

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/slipway-dev/slipway/host"
)

// Categories that only HTTP knows.
var (
	errTooLarge         = errors.New("body too large")
	errTooSlow          = errors.New("body too slow")
	errNotJSON          = errors.New("body is not JSON")
	errMethodNotAllowed = errors.New("method not allowed")
)

// statusClosed is logged for a client that left before its answer.
const statusClosed = 499

// statusOf is the one table from categories to HTTP.
func statusOf(err error) int {
	for _, row := range [...]struct {
		category error
		status   int
	}{
		{host.ErrInvalid, http.StatusBadRequest},
		{host.ErrUnauthorized, http.StatusUnauthorized},
		{host.ErrForbidden, http.StatusForbidden},
		{host.ErrNotFound, http.StatusNotFound},
		{errMethodNotAllowed, http.StatusMethodNotAllowed},
		{errTooSlow, http.StatusRequestTimeout},
		{host.ErrDuplicate, http.StatusConflict},
		{host.ErrStale, http.StatusPreconditionFailed},
		{host.ErrGone, http.StatusGone},
		{errTooLarge, http.StatusRequestEntityTooLarge},
		{errNotJSON, http.StatusUnsupportedMediaType},
		{host.ErrThrottled, http.StatusTooManyRequests},
		{host.ErrUpstream, http.StatusBadGateway},
		{host.ErrUnavailable, http.StatusServiceUnavailable},
		{host.ErrTimeout, http.StatusGatewayTimeout},
	} {
		if errors.Is(err, row.category) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// fail answers with an error. A text that was not written for the client stays in
// the log.
func (a *API) fail(w *response, r *http.Request, err error) {
	if w.status != 0 { // too late to say it: cut the connection
		if r.Context().Err() == nil { // otherwise the client has left
			a.logError(w, r, err)
		}
		panic(http.ErrAbortHandler)
	}
	status := statusOf(err)
	body := message{Message: "internal error; the log of the host says more under the request id " + w.requestID()}
	refusal, isRefusal := errors.AsType[*host.Error](err)
	switch {
	case isRefusal:
		body = message{refusal.Error(), refusal.ID}
	case r.Context().Err() != nil:
		status = statusClosed
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="slipway"`)
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		a.logError(w, r, err)
	}
	_ = answer(w, status, body) // two strings always encode
}

func (a *API) logError(w *response, r *http.Request, err error) {
	a.log.LogAttrs(r.Context(), slog.LevelError, "request failed",
		slog.String("request_id", w.requestID()), slog.String("route", r.Pattern), slog.Any("error", err))
}
