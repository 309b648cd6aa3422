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

// CallResource adapts the call of the protocol to the plugin's http.Handler.
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
	return w.close()
}

// httpRequest makes the request a handler sees. Its path is the resource path
// with a leading slash; the query comes from the URL.
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
	req.URL = &target // not parsed again: a path that starts with // would turn into a host
	req.RequestURI = target.RequestURI()
	req.Header = header.Clone()
	req.Host = req.Header.Get("Host")
	return req, nil
}

// resourceWriter sends a response in pieces: the first message carries status
// and headers. What a handler writes is gathered until it flushes, returns, or
// has written flushSize bytes.
type resourceWriter struct {
	stream  pluginv2.Resource_CallResourceServer
	header  http.Header
	sent    http.Header // snapshot at WriteHeader
	status  int
	body    bytes.Buffer
	started bool // the first message has gone
	err     error
}

const flushSize = 256 << 10

// Header returns the headers to send.
func (w *resourceWriter) Header() http.Header { return w.header }

// WriteHeader fixes the status and the headers.
func (w *resourceWriter) WriteHeader(code int) {
	if w.status != 0 || code < http.StatusOK { // interim answers do not travel
		return
	}
	w.status = code
	w.sent = maps.Clone(w.header)
}

// Write adds to the body.
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

// FlushError sends what has been written so far.
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

func (w *resourceWriter) close() error { return w.FlushError() }

// HandlerFunc is an http.Handler that may return an error, which is answered with
// WriteError. An error after the answer has begun breaks the answer off, so that a
// part of it is not taken for all.
type HandlerFunc func(w http.ResponseWriter, r *http.Request) error

// ServeHTTP calls f.
func (f HandlerFunc) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := &begunWriter{ResponseWriter: w}
	err := f(begun, r)
	switch {
	case err == nil:
	case !begun.hasBegun:
		WriteError(w, r, err)
	default:
		err = rpcError(r.Context(), err) // logs it
		for inner := w; ; {
			switch writer := inner.(type) {
			case *resourceWriter:
				writer.err = err // the host learns why
				return
			case interface{ Unwrap() http.ResponseWriter }:
				inner = writer.Unwrap()
			default:
				panic(http.ErrAbortHandler)
			}
		}
	}
}

// begunWriter knows whether the answer has begun.
type begunWriter struct {
	http.ResponseWriter
	hasBegun bool
}

// WriteHeader begins the answer.
func (w *begunWriter) WriteHeader(code int) {
	w.hasBegun = w.hasBegun || code >= http.StatusOK
	w.ResponseWriter.WriteHeader(code)
}

// Write begins the answer.
func (w *begunWriter) Write(p []byte) (int, error) {
	w.hasBegun = true
	return w.ResponseWriter.Write(p)
}

// Flush begins the answer, if the writer below can flush.
func (w *begunWriter) Flush() { _ = w.FlushError() }

// FlushError begins the answer.
func (w *begunWriter) FlushError() error {
	w.hasBegun = true
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap serves http.ResponseController.
func (w *begunWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteError answers a request with an error: its status and, as JSON, what users may
// read and whose fault it is. The cause goes to the log.
func WriteError(w http.ResponseWriter, r *http.Request, err error) {
	code, source, message := describe(err)
	if !isCanceled(r.Context(), err) {
		logOf(r.Context()).ErrorContext(r.Context(), "a resource request failed", "path", r.URL.Path, "status", code, "errorSource", source, "error", err)
	}
	for _, name := range []string{"Content-Length", "Content-Encoding", "Etag", "Last-Modified"} { // of the answer that failed
		w.Header().Del(name)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = fmt.Fprintf(w, "{\"message\":%s,\"errorSource\":%q}\n", jsonString(message), source)
}

// WriteJSON answers a request with a value as JSON. Nothing is sent when v cannot be
// encoded; the error says why.
func WriteJSON(w http.ResponseWriter, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(text, '\n'))
	return err
}
