package httpclient

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// responseLimit is the key of the host's configuration with the maximum size of a response in bytes.
const responseLimit = "GF_RESPONSE_LIMIT"

type transport struct {
	options    Options
	origin     string            // of the service, or ""
	home, away http.RoundTripper // to the service, and to other origins without its TLS settings
	pools      []*http.Transport // of both
}

func (t *transport) connect(config *tls.Config) http.RoundTripper {
	pool := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext,
		TLSClientConfig:       config,
		TLSHandshakeTimeout:   dialTimeout,
		ExpectContinueTimeout: time.Second,
		MaxIdleConns:          idleConns,
		MaxIdleConnsPerHost:   idleConns,
		IdleConnTimeout:       idleTimeout,
		ForceAttemptHTTP2:     true,
	}
	t.pools = append(t.pools, pool)
	if t.options.Wrap != nil {
		return t.options.Wrap(pool)
	}
	return pool
}

// RoundTrip implements http.RoundTripper. It sends a copy of the request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	next := t.home
	if t.origin == "" || originOf(r.URL) == t.origin {
		t.prepare(r)
	} else {
		next = t.away
		if r.Response != nil { // after a redirect, with headers for the service
			if r.Body != nil && r.Body != http.NoBody {
				_ = r.Body.Close()
				return nil, sdk.Downstreamf(http.StatusBadGateway,
					"the upstream service redirected a request with a body to %s; the body is sent to the configured URL only", originOf(r.URL))
			}
			strip(r.Header)
		}
	}
	resp, err := next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	limit := t.limit(r)
	if limit > 0 {
		resp.Body = &limitedBody{ReadCloser: resp.Body, left: limit, limit: limit}
	}
	return resp, nil
}

// CloseIdleConnections closes idle connections.
func (t *transport) CloseIdleConnections() {
	for _, pool := range t.pools {
		pool.CloseIdleConnections()
	}
}

// strip deletes all headers except those that cannot identify the sender.
func strip(h http.Header) {
	for name := range h {
		if name != "Accept" && name != "Accept-Encoding" && name != "Accept-Language" && name != "Content-Type" && name != "User-Agent" {
			delete(h, name)
		}
	}
}

// prepare adds headers that the request does not have.
func (t *transport) prepare(r *http.Request) {
	add := func(name, value string) {
		if value != "" && r.Header.Get(name) == "" {
			r.Header.Set(name, value)
		}
	}
	for name, values := range t.options.Header {
		switch {
		case name == "Host":
			r.Host = values[0]
		case len(r.Header.Values(name)) == 0:
			r.Header[name] = values
		}
	}
	ctx := r.Context()
	if t.options.ForwardSignIn {
		forwarded := sdk.ForwardedHeader(ctx)
		for _, name := range []string{"Authorization", "X-Id-Token", "Cookie"} {
			add(name, forwarded.Get(name))
		}
	}
	if t.options.BearerToken != "" {
		add("Authorization", "Bearer "+t.options.BearerToken)
	}
	if r.Header.Get("Authorization") == "" && (t.options.BasicUser != "" || t.options.BasicPassword != "") {
		r.SetBasicAuth(t.options.BasicUser, t.options.BasicPassword)
	}
	for name, values := range sdk.TraceHeaders(ctx) {
		add(name, values[0])
	}
}

// limit returns the maximum size of the response, the lower of ours and the host's, or 0 for none.
func (t *transport) limit(r *http.Request) int64 {
	limit := t.options.MaxResponse
	if limit == 0 {
		limit = DefaultMaxResponse
	}
	hosts, err := strconv.ParseInt(sdk.ContextOf(r.Context()).Config[responseLimit], 10, 64)
	if err == nil && hosts > 0 && (limit < 0 || hosts < limit) {
		limit = hosts
	}
	return max(limit, 0)
}

// limitedBody returns an error after limit bytes if the body is longer.
type limitedBody struct {
	io.ReadCloser
	left, limit int64
}

// Read implements io.Reader. It reads one byte past the limit to detect a longer body.
func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge(b.limit)
	}
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, tooLarge(b.limit)
	}
	return n, err
}

func tooLarge(limit int64) error {
	return sdk.Downstreamf(http.StatusBadGateway, "the response from the upstream service is larger than %d bytes; request less data, "+
		"or raise the limit", limit)
}
