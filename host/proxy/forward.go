package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// Forward sends a request through the route of the target that matches escaped, the
// rest of the request's path as it was sent: "", or what begins with a slash. Until the
// response has begun, an error has one of the categories of package host. After that,
// the caller must abort the response so that the client notices.
func (p *Proxy) Forward(w http.ResponseWriter, r *http.Request, who host.Identity, escaped string, to Target) error {
	asked, err := parsePath(escaped)
	if err != nil {
		return err
	}
	if to.isDataSource() && len(to.routes()) == 0 {
		return &host.Error{Category: host.ErrNotFound, Message: "the data source has no URL, and plugin.json no routes"}
	}
	route, rest, err := match(to.routes(), r.Method, asked)
	if err != nil {
		return err
	}
	if err := to.requirement(route).Check(who); err != nil {
		return err
	}
	if route.URL == "" { // the path of the route is a path of the data source
		rest = asked
	}
	out, err := p.outbound(w, r, route, rest, to)
	if err != nil {
		return err
	}
	transport, err := p.transportTo(to)
	if err != nil {
		return err
	}
	in, err := transport.RoundTrip(out)
	if err != nil {
		return broken(service, err)
	}
	defer in.Body.Close()
	if in.StatusCode == http.StatusUnauthorized && to.isDataSource() { // to frontends, 401 means to sign in to the host again
		return &host.Error{Category: host.ErrInvalid, Message: "Authentication to data source failed"}
	}
	if in.StatusCode < 200 || in.StatusCode > 599 {
		return upstream(host.ErrUpstream, service+" returned an invalid status code", fmt.Errorf("status %d", in.StatusCode))
	}
	return passOn(w, in)
}

// service names the remote end in errors.
const service = "the service behind the plugin"

// outbound returns the request to send. If a setting is missing, nothing is sent.
func (p *Proxy) outbound(w http.ResponseWriter, r *http.Request, route *bundle.Route, rest path, to Target) (*http.Request, error) {
	s, err := newSettings(to.URL, to.JSON, to.Secrets)
	if err != nil {
		return nil, err
	}
	where, err := s.where(route, rest, r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	header, err := s.headers(r.Header, route, to)
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
		if body, err = p.options.ReadBody(w, r); err != nil {
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
		return nil, host.Invalid("method", "invalid HTTP method")
	}
	out.URL, out.Host, out.Header = where, where.Host, header
	return out, nil
}

// where returns the address of rest below the URL of the route, or else of the data source.
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
		return nil, unavailable("neither the route nor the data source has a URL; set one of them")
	}
	u, err := parseAddress(s.URL)
	if err != nil {
		return nil, unavailable("the URL of the data source %v", err)
	}
	return u, nil
}

// passOn streams a response to the caller, each part as it arrives.
func passOn(w http.ResponseWriter, in *http.Response) error {
	copyResponseHeaders(w.Header(), in)
	if in.ContentLength > 0 {
		w.Header().Set("Content-Length", strconv.FormatInt(in.ContentLength, 10)) // lets the client notice a cut response
	}
	w.WriteHeader(in.StatusCode)
	out := flushing{w, http.NewResponseController(w)}
	if in.ContentLength < 0 { // send the headers: the first part of a stream may take a while
		_, _ = out.Write(nil)
	}
	if _, err := io.Copy(out, in.Body); err != nil {
		return broken(service, err)
	}
	return nil
}

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
