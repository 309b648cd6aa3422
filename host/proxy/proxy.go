package proxy

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// Options are the parts a Proxy is made of. The zero value is complete.
type Options struct {
	Transport http.RoundTripper // one with timeouts, and the proxies of the environment, if nil
	Clock     func() time.Time  // time.Now if nil
	Logger    *slog.Logger      // what nobody waits for; no log if nil
	// ReadBody returns the body of a request, or the error to answer with. If nil it
	// takes up to 16 MiB.
	ReadBody func(http.ResponseWriter, *http.Request) ([]byte, error)
}

// Proxy forwards by the routes of plugins. It is safe for concurrent use.
type Proxy struct {
	transport http.RoundTripper
	clock     func() time.Time
	readBody  func(http.ResponseWriter, *http.Request) ([]byte, error)
	tokens    *tokens
	own       *http.Transport // nil if it was given
}

// Target is what a request is for: a data source or an app, and its settings.
type Target struct {
	PluginID string
	Routes   []bundle.Route
	Scope    string            // what reqAction is asked on: "datasources:uid:<uid>" or "plugins:id:<id>"
	URL      string            // of the data source, for routes without one; "" for an app
	JSON     json.RawMessage   // jsonData, an object; none if empty
	Secrets  map[string]string // secureJsonData, decrypted
}

// New makes a Proxy. Its owner closes it after the last request.
func New(o Options) *Proxy {
	p := &Proxy{transport: o.Transport, clock: o.Clock, readBody: o.ReadBody}
	if p.clock == nil {
		p.clock = time.Now
	}
	if p.readBody == nil {
		p.readBody = readBody
	}
	if p.transport == nil {
		p.own = newTransport()
		p.transport = p.own
	}
	p.tokens = newTokens(p.transport, p.clock, cmp.Or(o.Logger, slog.New(slog.DiscardHandler)))
	return p
}

// Close ends what is under way to fetch tokens, and waits for it.
func (p *Proxy) Close() error {
	p.tokens.close()
	if p.own != nil {
		p.own.CloseIdleConnections()
	}
	return nil
}

// requirement is what a route asks of a caller. A route holds the credentials of
// the data source, so whatever reqSignedIn says nobody unknown uses it.
func (t Target) requirement(r *bundle.Route) host.Requirement {
	return host.Requirement{PluginID: t.PluginID, IsSignedIn: true, Role: r.ReqRole, Action: r.ReqAction, Scope: t.Scope}
}

// newTransport has a limit for every phase but the body of an answer, which may be
// a stream.
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
		DisableCompression:     true, // what the caller accepts is for the caller to decode
	}
}
