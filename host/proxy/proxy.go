package proxy

import (
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// Options configure a Proxy.
type Options struct {
	Transport http.RoundTripper // of targets without TLS settings; if nil, one with timeouts that uses the proxies from the environment
	Clock     func() time.Time  // time.Now if nil
	// ReadBody returns the body of a request, or the error to respond with. Required.
	ReadBody func(http.ResponseWriter, *http.Request) ([]byte, error)
}

// Proxy forwards requests through the routes of plugins. It is safe for concurrent use.
type Proxy struct {
	transport http.RoundTripper
	clock     func() time.Time
	readBody  func(http.ResponseWriter, *http.Request) ([]byte, error)
	tokens    *tokens
	own       *http.Transport // nil if Options set one
	tls       sync.Map        // *http.Transport by httpclient.TLS
}

// Target is the data source or app that a request is for, with its settings.
type Target struct {
	PluginID string
	Routes   []bundle.Route
	Scope    string            // of reqAction: "datasources:uid:<uid>" or "plugins:id:<id>"
	URL      string            // of the data source, used by routes without a URL; "" for an app
	JSON     json.RawMessage   // jsonData, an object; may be empty
	Secrets  map[string]string // secureJsonData, decrypted

	// Without Routes, requests are forwarded to URL with the sign-in of the data source.
	BasicAuth     bool
	BasicAuthUser string
	Cookies       string // of the caller; only those that the data source keeps
}

// New returns a Proxy. Close it after the last request.
func New(o Options) *Proxy {
	p := &Proxy{transport: o.Transport, clock: o.Clock, readBody: o.ReadBody}
	if p.clock == nil {
		p.clock = time.Now
	}
	if p.transport == nil {
		p.own = newTransport()
		p.transport = p.own
	}
	p.tokens = &tokens{transport: p.transport, clock: p.clock, kept: map[tokenKey]*keptToken{}}
	return p
}

// Close closes idle connections.
func (p *Proxy) Close() error {
	p.tls.Range(func(_, t any) bool {
		t.(*http.Transport).CloseIdleConnections()
		return true
	})
	if p.own != nil {
		p.own.CloseIdleConnections()
	}
	return nil
}

// requirement returns what a route requires of a caller. A route uses the credentials
// of the data source, so it always requires a signed-in caller, regardless of
// reqSignedIn.
func (t Target) requirement(r *bundle.Route) host.Requirement {
	return host.Requirement{PluginID: t.PluginID, IsSignedIn: true, Role: r.ReqRole, Action: r.ReqAction, Scope: t.Scope}
}

// newTransport returns a transport with a timeout for every phase except the body of a
// response, which may be a stream.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           200,
		MaxIdleConnsPerHost:    32,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // the caller decodes the encodings it accepts
	}
}
