package proxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// Forward answers a request by the route of the target that escaped names: the
// rest of the request's path as it was sent, without the slash before it. An error before the answer has begun
// is one of the host's categories and for the caller to answer with; after that
// only a cut connection tells the client.
func (p *Proxy) Forward(w http.ResponseWriter, r *http.Request, who host.Identity, escaped string, to Target) error {
	asked, err := parsePath("/" + escaped) // a slash more would be an empty segment
	if err != nil {
		return err
	}
	route, rest, err := match(to.Routes, r.Method, asked)
	if err != nil {
		return err
	}
	if err := to.requirement(route).Check(who); err != nil {
		return err
	}
	if route.URL == "" { // then the path of the route is a path of the service
		rest = asked
	}
	out, err := p.outbound(w, r, route, rest, to)
	if err != nil {
		return err
	}
	in, err := p.transport.RoundTrip(out)
	if err != nil {
		return broken("the service behind the plugin", err)
	}
	defer in.Body.Close()
	if in.StatusCode < 200 || in.StatusCode > 599 {
		return upstream(host.ErrUpstream, "the service behind the plugin answered with a status that is none",
			errors.New("status "+strconv.Itoa(in.StatusCode)))
	}
	return passOn(w, in)
}

// outbound makes the request to send. Whatever is missing for it is an error: half
// a request is never sent.
func (p *Proxy) outbound(w http.ResponseWriter, r *http.Request, route *bundle.Route, rest path, to Target) (*http.Request, error) {
	s, err := newSettings(to.URL, to.JSON, to.Secrets)
	if err != nil {
		return nil, err
	}
	where, err := s.where(route, rest, r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	header, err := s.headers(r.Header, route)
	if err != nil {
		return nil, err
	}
	body, err := s.body(route.Body)
	switch {
	case err != nil:
		return nil, err
	case body != nil:
		header.Set("Content-Type", "application/json")
		header.Del("Content-Encoding")
	default:
		if body, err = p.readBody(w, r); err != nil {
			return nil, err
		}
	}
	token, err := p.tokens.of(r.Context(), s, route, to)
	if err != nil {
		return nil, err
	}
	if token != "" {
		header.Set("Authorization", "Bearer "+token)
	}
	out, err := http.NewRequestWithContext(r.Context(), r.Method, "", bytes.NewReader(body))
	if err != nil {
		return nil, host.Invalid("method", "is none")
	}
	out.URL, out.Host, out.Header = where, where.Host, header
	return out, nil
}

// where returns the address of a request: that of the route, or else of the data
// source, and rest below it.
func (s settings) where(route *bundle.Route, rest path, query string) (*url.URL, error) {
	base, err := s.base(route)
	if err != nil {
		return nil, err
	}
	own := url.Values{}
	for _, v := range route.URLParams {
		text, err := s.render("urlParams "+v.Name, v.Content)
		if err != nil {
			return nil, err
		}
		own.Set(v.Name, text)
	}
	return below(base, rest, own, query)
}

func (s settings) base(route *bundle.Route) (*url.URL, error) {
	if route.URL != "" {
		return s.address("url", route.URL)
	}
	if s.URL == "" {
		return nil, unavailable("neither the route nor the data source has an address; set the url of either")
	}
	u, err := parseAddress(s.URL)
	if err != nil {
		return nil, unavailable("the url of the data source %v", err)
	}
	return u, nil
}

// passOn streams an answer to the caller, each part as it comes.
func passOn(w http.ResponseWriter, in *http.Response) error {
	answerHeaders(w.Header(), in)
	if in.ContentLength > 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(in.ContentLength, 10)) // so that a cut answer shows
	}
	w.WriteHeader(in.StatusCode)
	out := flushing{w, http.NewResponseController(w)}
	if in.ContentLength < 0 { // the first part of a stream may be long in coming
		_, _ = out.Write(nil)
	}
	if _, err := io.Copy(out, in.Body); err != nil {
		return broken("the service behind the plugin", err)
	}
	return nil
}

// flushing sends each write at once.
type flushing struct {
	w io.Writer
	c *http.ResponseController
}

func (f flushing) Write(part []byte) (int, error) {
	n, err := f.w.Write(part)
	if err != nil {
		return n, err
	}
	if err := f.c.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return n, err
	}
	return n, nil
}

// broken puts an error of the network into a category. That of a client who has
// left is none.
func broken(who string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", who, err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return upstream(host.ErrTimeout, who+" did not answer in time", err)
	}
	return upstream(host.ErrUpstream, who+" cannot be reached, or cut its answer", err)
}
