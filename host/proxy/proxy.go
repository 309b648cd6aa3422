// Package proxy implements the routes of plugin.json for data sources and apps: it
// finds the route of a request, checks that the caller may use it, fills in settings
// and secrets, and forwards the request. Without routes, it forwards requests to the URL
// of a data source, with its sign-in and its TLS settings.
//
// It rejects anything that it cannot verify: a path that some server could interpret as
// another one, a path that no route matches, a template with a missing setting. It forwards
// exactly the path that it matched, never the caller's credentials for the host, and no
// header that the list in headers.go holds. It stores nothing but short-lived tokens and the TLS
// settings of the last data sources, in memory.
package proxy

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
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
	options Options // completed
	tokens  *tokens
	own     *http.Transport // nil if Options set one
	tls     sync.Map        // *http.Transport by httpclient.TLS
}

// Target is the data source or app that a request is for, with its settings.
type Target struct {
	PluginID string
	Routes   []bundle.Route
	Scope    string            // of reqAction: "datasources:uid:<uid>" or "plugins:id:<id>"
	URL      string            // of the data source, used by routes without a URL; "" for an app
	JSON     json.RawMessage   // jsonData, an object; may be empty
	Secrets  map[string]string // secureJsonData, decrypted

	// The sign-in of a data source. Without Routes, requests are forwarded to URL.
	BasicAuth     bool
	BasicAuthUser string
	Cookies       string // of the caller; only those that the data source keeps
}

// New returns a Proxy. Close it after the last request.
func New(o Options) *Proxy {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	p := &Proxy{}
	if o.Transport == nil {
		p.own = newTransport()
		o.Transport = p.own
	}
	p.options, p.tokens = o, &tokens{transport: o.Transport, clock: o.Clock, kept: map[tokenKey]*keptToken{}}
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

// requirement returns what a route requires of a caller, who must be signed in, regardless of
// reqSignedIn: a route uses the credentials of the data source.
func (t Target) requirement(r *bundle.Route) host.Requirement {
	return host.Requirement{PluginID: t.PluginID, IsSignedIn: true, Role: r.ReqRole, Action: r.ReqAction, Scope: t.Scope}
}

// newTransport returns a transport with timeouts for all but the body of a response, perhaps a stream.
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

// transportTo returns the transport for requests to a target. A data source whose plugin
// declares no routes can have TLS settings: those that package httpclient reads in a plugin.
func (p *Proxy) transportTo(to Target) (http.RoundTripper, error) {
	if len(to.Routes) > 0 {
		return p.options.Transport, nil
	}
	settings, err := httpclient.TLSFromDataSource(sdk.DataSource{Settings: sdk.Settings{JSON: to.JSON, Secrets: to.Secrets}})
	if err == nil && settings == (httpclient.TLS{}) {
		return p.options.Transport, nil
	}
	if known, ok := p.tls.Load(settings); ok {
		return known.(*http.Transport), nil
	}
	var config *tls.Config
	if err == nil {
		config, err = settings.Config()
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		err = unavailable("the data source has %s", e.Message)
	}
	if err != nil {
		return nil, err
	}
	added := newTransport()
	added.TLSClientConfig = config
	known, _ := p.tls.LoadOrStore(settings, added)
	return known.(*http.Transport), nil
}

// unavailable reports a mistake in plugin.json or in the settings, which the caller cannot fix.
func unavailable(format string, args ...any) error {
	return &host.Error{Category: host.ErrUnavailable, Message: fmt.Sprintf(format, args...)}
}

// upstream reports a failure of a service. Callers see public; cause is logged.
func upstream(category error, public string, cause error) error {
	return fmt.Errorf("%w: %w", &host.Error{Category: category, Message: public}, cause)
}

// broken gives a network error its category, and none if the client canceled the request.
func broken(who string, err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", who, err)
	}
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return upstream(host.ErrTimeout, who+" did not respond in time", err)
	}
	return upstream(host.ErrUpstream, who+" cannot be reached or aborted its response", err)
}
