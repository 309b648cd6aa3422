package sdk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
)

type resourceServer struct {
	pluginv2.UnimplementedResourceServer
	handler http.Handler
}

// CallResource implements pluginv2.ResourceServer.
func (s resourceServer) CallResource(in *pluginv2.CallResourceRequest, stream pluginv2.Resource_CallResourceServer) error {
	c := *callOf(stream.Context())
	c.plugin, c.header = contextFromWire(in.GetPluginContext()), wire.Header(in.GetHeaders())
	ctx := context.WithValue(stream.Context(), callKey{}, &c)
	req, err := httpRequest(ctx, in, c.header)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	w := &resourceWriter{stream: stream, header: http.Header{}}
	s.handler.ServeHTTP(w, req)
	return w.FlushError()
}

// httpRequest returns the request for the handler. Its path is the resource path with a
// leading slash, and its query is that of the URL.
func httpRequest(ctx context.Context, in *pluginv2.CallResourceRequest, header http.Header) (*http.Request, error) {
	target := url.URL{Path: "/" + strings.TrimPrefix(in.GetPath(), "/")}
	asked, err := url.Parse(in.GetUrl())
	if err != nil {
		return nil, fmt.Errorf("resource request: %w", err)
	}
	target.RawQuery = asked.RawQuery
	req, err := http.NewRequestWithContext(ctx, in.GetMethod(), "/", bytes.NewReader(in.GetBody()))
	if err != nil {
		return nil, fmt.Errorf("resource request: %w", err)
	}
	req.URL = &target // not parsed: a path that starts with // would become a host
	req.RequestURI = target.RequestURI()
	req.Header = header.Clone()
	req.Host = req.Header.Get("Host")
	return req, nil
}

// resourceWriter sends a response in messages, the first of which has the status and the headers: when
// the handler flushes or returns, and after flushSize bytes.
type resourceWriter struct {
	stream  pluginv2.Resource_CallResourceServer
	header  http.Header
	sent    http.Header // copy made by WriteHeader
	status  int
	body    bytes.Buffer
	started bool // the first message was sent
	err     error
}

const flushSize = 256 << 10

// Header implements http.ResponseWriter.
func (w *resourceWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *resourceWriter) WriteHeader(code int) {
	if w.status != 0 || code < http.StatusOK { // the protocol has no interim responses
		return
	}
	w.status = code
	w.sent = maps.Clone(w.header)
}

// Write implements http.ResponseWriter.
func (w *resourceWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		if w.header.Get("Content-Type") == "" {
			w.header.Set("Content-Type", http.DetectContentType(p))
		}
		w.WriteHeader(http.StatusOK)
	}
	if w.err != nil {
		return 0, w.err
	}
	if w.status == http.StatusNoContent || w.status == http.StatusNotModified {
		return 0, http.ErrBodyNotAllowed
	}
	w.body.Write(p)
	if w.body.Len() >= flushSize {
		return len(p), w.FlushError()
	}
	return len(p), nil
}

// FlushError sends the buffered data. http.ResponseController calls it.
func (w *resourceWriter) FlushError() error {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	if w.err != nil || (w.started && w.body.Len() == 0) {
		return w.err
	}
	msg := &pluginv2.CallResourceResponse{Body: bytes.Clone(w.body.Bytes())}
	if !w.started {
		msg.Code, msg.Headers = int32(w.status), wire.StringLists(w.sent)
		w.started = true
	}
	w.body.Reset()
	w.err = w.stream.Send(msg)
	return w.err
}

// Flush implements http.Flusher.
func (w *resourceWriter) Flush() { _ = w.FlushError() }

// HandlerFunc is an http.Handler that can return an error, which it passes to
// [WriteError]. If part of the response has already been sent, it aborts the response
// instead, so that the client notices that it is incomplete.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	started := &startedWriter{ResponseWriter: w}
	err := f(started, r)
	switch {
	case err == nil:
	case !started.hasStarted:
		WriteError(w, r, err)
	default:
		err = rpcError(r.Context(), err) // logs it
		for inner := w; ; {
			switch writer := inner.(type) {
			case *resourceWriter:
				writer.err = err // goes to the host
				return
			case interface{ Unwrap() http.ResponseWriter }:
				inner = writer.Unwrap()
			default:
				panic(http.ErrAbortHandler)
			}
		}
	}
}

type startedWriter struct {
	http.ResponseWriter
	hasStarted bool
}

// WriteHeader implements http.ResponseWriter.
func (w *startedWriter) WriteHeader(code int) {
	w.hasStarted = w.hasStarted || code >= http.StatusOK
	w.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (w *startedWriter) Write(p []byte) (int, error) {
	w.hasStarted = true
	return w.ResponseWriter.Write(p)
}

// Flush implements http.Flusher.
func (w *startedWriter) Flush() { _ = w.FlushError() }

// FlushError implements the method that http.ResponseController calls.
func (w *startedWriter) FlushError() error {
	w.hasStarted = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap implements the method that http.ResponseController calls.
func (w *startedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteError responds with the status of err and the JSON object
// {"message": string, "errorSource": "plugin" or "downstream"}. It logs err, unless
// the request was canceled. See [Error].
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	code, source, message := describe(err)
	if !isCanceled(r.Context(), err) {
		loggerOf(r.Context()).ErrorContext(r.Context(), "a resource request failed", "path", r.URL.Path, "status", code,
			"errorSource", source, "error", err)
	}
	for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Last-Modified"} { // of the response that failed
		w.Header().Del(name)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	text, _ := json.Marshal(message) // a string always encodes
	_, _ = fmt.Fprintf(w, "{\"message\":%s,\"errorSource\":%q}\n", text, source)
}

// WriteJSON responds with v as JSON. If v cannot be encoded, it returns an error and
// writes nothing.
func WriteJSON(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode response: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(text, '\n'))
	return err
}
