package api

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk"
)

// Categories of errors in the HTTP request itself.
var (
	errTooLarge         = errors.New("body too large")
	errTooSlow          = errors.New("body too slow")
	errNotJSON          = errors.New("body is not JSON")
	errMethodNotAllowed = errors.New("method not allowed")
)

// statusClosed is logged if the client left before the response.
const statusClosed = 499

// statusOf maps the categories of errors to HTTP.
func statusOf(err error) int {
	for _, row := range [...]struct {
		category error
		status   int
	}{
		{host.ErrInvalid, http.StatusBadRequest},
		{host.ErrUnauthorized, http.StatusUnauthorized},
		{host.ErrForbidden, http.StatusForbidden},
		{host.ErrNotFound, http.StatusNotFound},
		{errMisdirected, http.StatusMisdirectedRequest},
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
		{host.ErrFull, http.StatusInsufficientStorage},
	} {
		if errors.Is(err, row.category) {
			return row.status
		}
	}
	return http.StatusInternalServerError
}

// fail responds with an error. The messages of host.Error and sdk.Error are for clients; others are logged.
func (a *API) fail(w *response, r *http.Request, err error) {
	if w.status != 0 { // the response has begun: abort it so that the client notices
		if r.Context().Err() == nil { // otherwise the client has left
			a.logError(w, r, err)
		}
		panic(http.ErrAbortHandler)
	}
	status := statusOf(err)
	body := message{Message: "internal error; the log of the host has details under the request id " + w.requestID()}
	refusal, isRefusal := errors.AsType[*host.Error](err)
	failure, isFailure := errors.AsType[*sdk.Error](err)
	switch {
	case isRefusal:
		body = message{Message: refusal.Error(), ID: refusal.ID}
		if errors.Is(err, host.ErrStale) {
			body.Status = refusal.ID
		}
		if status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="slipway"`)
		}
		if refusal.Wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(refusal.Wait.Seconds())))
		}
	case isFailure:
		if errors.Is(err, loader.ErrBusy) {
			w.Header().Set("Retry-After", "1")
		}
		status, body = failure.Status, message{Message: failure.Message, ID: "plugin." + string(failure.Source)}
		if status == http.StatusInternalServerError { // of the plugin, not of the host
			status = http.StatusBadGateway
		}
	case r.Context().Err() != nil:
		status = statusClosed
	}
	if isFailure || status >= http.StatusInternalServerError {
		a.logError(w, r, err)
	}
	_ = respond(w, status, body) // two strings always encode
}

func (a *API) logError(w *response, r *http.Request, err error) {
	a.Logger.LogAttrs(r.Context(), slog.LevelError, "request failed",
		slog.String("request_id", w.requestID()), slog.String("route", r.Pattern), slog.Any("error", err))
}
