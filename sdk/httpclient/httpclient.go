// Package httpclient calls the service behind a data source: with time-outs, with the
// TLS, sign-in and headers that an administrator has entered, with a limit on what an
// answer may weigh, and with the trace of the call it is made for.
//
//	func newSource(ctx context.Context, ds sdk.DataSource, s settings) (*source, error) {
//		options, err := httpclient.FromDataSource(ds)
//		if err != nil {
//			return nil, err
//		}
//		client, err := httpclient.New(options)
//		...
//	}
//
// It refuses to send credentials anywhere but to the service: not those of the options
// and no client certificate to another origin, and nothing at all along a redirect to
// one, be it the request's own headers. Build URLs with Client.URL, which stays below the
// service's address.
package httpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// The defaults of Options.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultMaxResponse = 128 << 20 // bytes
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idleConns   = 100 // to the one service that a client is for
	idleTimeout = 90 * time.Second
)

// Options say what to call and how. FromDataSource makes them of a data source. The
// zero value calls anything, without credentials.
type Options struct {
	// URL is the address of the service. Credentials and headers go to its origin
	// only: the same scheme, host and port.
	URL string
	// Timeout ends a request, its body included: 0 is DefaultTimeout, below 0 is none.
	// The context of a request may end it sooner.
	Timeout time.Duration
	// MaxResponse is what the body of an answer may weigh, decompressed, in bytes: 0 is
	// DefaultMaxResponse, below 0 is no limit. A lower limit that the host sends along
	// with a call holds as well. Beyond it reading returns a downstream *sdk.Error with
	// status 502.
	MaxResponse int64
	// BasicUser and BasicPassword sign in with basic authentication, unless both are
	// empty.
	BasicUser, BasicPassword string
	// BearerToken signs in with a token, unless it is empty.
	BearerToken string
	// ForwardSignIn sends the user's own Authorization, X-Id-Token and Cookie headers
	// on, as far as the host forwards them.
	ForwardSignIn bool
	// Header is added to each request; a request's own headers win.
	Header http.Header
	// TLS says whom to trust and who we are.
	TLS TLS
	// Wrap is put around the transport; sdk/tracing has one. Nil is none.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// TLS are the settings of the connection. Certificates and keys are PEM.
type TLS struct {
	CA                    string // trusted in place of the system's
	ClientCert, ClientKey string // both or none
	ServerName            string // in place of that of the URL
	SkipVerify            bool   // trust anybody: for tests only
}

// Client calls one service. Close it when the data source goes.
type Client struct {
	// HTTP is the client below, for libraries that ask for one. Its errors hold the
	// query of the address that was called.
	HTTP *http.Client

	base string
	t    *transport
}

// New returns a client. The error is about the options: an address, a certificate or
// a key that cannot be read.
func New(o Options) (*Client, error) {
	t := &transport{options: o}
	if o.URL != "" {
		base, err := sdk.JoinURL(o.URL)
		if err != nil {
			return nil, invalid("the URL of the data source is no absolute http address")
		}
		t.origin = originOf(base)
	} else if o.BasicUser != "" || o.BasicPassword != "" || o.BearerToken != "" || o.ForwardSignIn || len(o.Header) > 0 {
		return nil, invalid("there is no URL that the credentials and headers are for")
	}
	config, err := o.TLS.config()
	if err != nil {
		return nil, err
	}
	t.home = t.connect(config)
	t.away = t.home
	if t.origin != "" && o.TLS != (TLS{}) {
		t.away = t.connect(&tls.Config{MinVersion: tls.VersionTLS12})
	}
	timeout := o.Timeout
	switch {
	case timeout == 0:
		timeout = DefaultTimeout
	case timeout < 0:
		timeout = 0
	}
	return &Client{HTTP: &http.Client{Transport: t, Timeout: timeout}, base: o.URL, t: t}, nil
}

// Do sends a request, as http.Client does. Its errors do not hold the query of the
// address, which may have a key in it.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	resp, err := c.HTTP.Do(r)
	if e, ok := errors.AsType[*url.Error](err); ok {
		if u, parseErr := url.Parse(e.URL); parseErr == nil {
			u.User, u.RawQuery, u.Fragment = nil, "", ""
			e.URL = u.String()
		}
	}
	return resp, err
}

// URL is the address of the service with segments appended; see sdk.JoinURL. Its errors
// are an *sdk.Error with status 400.
func (c *Client) URL(segments ...string) (*url.URL, error) {
	if c.base == "" {
		return nil, invalid("the data source has no URL")
	}
	return sdk.JoinURL(c.base, segments...)
}

// GetJSON reads a T from the address of the service with segments appended:
//
//	list, err := httpclient.GetJSON[[]sale](ctx, s.client, "articles", name, "sales")
//
// An answer that is no success, and one that is no JSON of a T, are downstream errors;
// see sdk.FromStatus and sdk.Downstream.
func GetJSON[T any](ctx context.Context, c *Client, segments ...string) (value T, err error) {
	u, err := c.URL(segments...)
	if err != nil {
		return value, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return value, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.Do(req)
	if err != nil {
		return value, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return value, sdk.FromStatus(resp.StatusCode, "the upstream service answered "+resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(&value); err != nil {
		return value, sdk.Downstream("the answer of the upstream service cannot be read", err)
	}
	return value, nil
}

// Close closes the connections that nobody uses.
func (c *Client) Close() error {
	c.t.CloseIdleConnections()
	return nil
}

func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, InsecureSkipVerify: t.SkipVerify}
	if t.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(t.CA)) {
			return nil, invalid("the CA certificate holds no certificate in PEM")
		}
	}
	if t.ClientCert != "" || t.ClientKey != "" {
		pair, err := tls.X509KeyPair([]byte(t.ClientCert), []byte(t.ClientKey))
		if err != nil {
			return nil, &sdk.Error{Status: http.StatusBadRequest, Source: sdk.SourceDownstream,
				Message: "the client certificate and its key do not fit or are not PEM", Cause: err}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// invalid is the error of settings that an administrator has to mend.
func invalid(format string, args ...any) error {
	return sdk.Downstreamf(http.StatusBadRequest, "the settings are not right: %s", fmt.Sprintf(format, args...))
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
