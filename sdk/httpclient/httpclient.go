// Package httpclient is an HTTP client for the service behind a data source. It applies
// the TLS settings, credentials and headers that an administrator entered, limits the
// duration of a request and the size of a response, and forwards the trace of the call.
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
// Credentials, headers and client certificates are sent to the origin of the service
// only; a client without a URL presents its client certificate to any server that requests
// one. After a redirect to another origin, the client also drops the request's own headers,
// except Accept, Accept-Encoding, Accept-Language, Content-Type and User-Agent. Build URLs
// with [Client.URL]: they stay below the URL of the service.
package httpclient

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/sdk"
)

// Defaults of Options.
const (
	DefaultTimeout     = 30 * time.Second
	DefaultMaxResponse = 128 << 20 // bytes
)

const (
	dialTimeout = 10 * time.Second
	keepAlive   = 30 * time.Second
	idleConns   = 100
	idleTimeout = 90 * time.Second
)

// Options configure a Client. [FromDataSource] returns those of a data source. A client
// with the zero value can send requests to any URL, without credentials.
type Options struct {
	// URL is the URL of the service. Credentials and headers are sent to its origin only,
	// that is, its scheme, host and port.
	URL string
	// Timeout limits a request, including reading the response body. 0 means
	// DefaultTimeout, and a negative value means no limit.
	Timeout time.Duration
	// MaxResponse is the maximum size of a decompressed response body, in bytes. 0 means
	// DefaultMaxResponse, and a negative value means no limit. A lower limit that the host
	// sends with a call applies as well. Reading past the limit returns a downstream
	// *sdk.Error with status 502.
	MaxResponse int64
	// BasicUser and BasicPassword are for basic authentication. If both are empty, it is
	// not used.
	BasicUser, BasicPassword string
	// BearerToken, if set, is sent as a bearer token.
	BearerToken string
	// ForwardSignIn forwards the user's Authorization, X-Id-Token and Cookie headers if
	// the host sent them with the call.
	ForwardSignIn bool
	// Header is added to each request, except for headers that the request already has.
	Header http.Header
	// TLS configures connections to the service.
	TLS TLS
	// Wrap, if set, wraps the transport; see package sdk/tracing.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// TLS configures TLS connections. Certificates and keys are in PEM format.
type TLS struct {
	CA                    string // replaces the system's certificate authorities
	ClientCert, ClientKey string // both or neither
	ServerName            string // replaces the host name of the URL
	SkipVerify            bool   // accepts any certificate; for tests only
}

// Client calls one service. It is safe for concurrent use.
type Client struct {
	// HTTP is the underlying client, for libraries that need one. Unlike those of Do, its
	// errors contain the query of the URL.
	HTTP *http.Client

	base string
	t    *transport
}

// New returns a client. The error is an *sdk.Error with status 400 for an invalid URL, an
// invalid certificate or key, or credentials or headers without a URL.
func New(o Options) (*Client, error) {
	t := &transport{options: o}
	if o.URL != "" {
		base, err := sdk.JoinURL(o.URL)
		if err != nil {
			return nil, invalid("the URL must be an absolute http or https URL")
		}
		t.origin = originOf(base)
	} else if o.BasicUser != "" || o.BasicPassword != "" || o.BearerToken != "" || o.ForwardSignIn || len(o.Header) > 0 {
		return nil, invalid("credentials and headers require a URL")
	}
	config, err := o.TLS.Config()
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

// Do sends a request, as http.Client.Do does. Its errors do not contain the query of the
// URL, which can contain a key.
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

// URL returns the URL of the service with segments appended to its path; see
// [sdk.JoinURL].
func (c *Client) URL(segments ...string) (*url.URL, error) {
	if c.base == "" {
		return nil, invalid("the data source has no URL")
	}
	return sdk.JoinURL(c.base, segments...)
}

// GetJSON sends a GET request to the URL of the service with segments appended to its
// path, and decodes the JSON response:
//
//	list, err := httpclient.GetJSON[[]sale](ctx, s.client, "articles", name, "sales")
//
// An unsuccessful response results in the error from [sdk.FromStatus]. A response that
// cannot be decoded into a T is a downstream error with status 502.
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
		return value, sdk.FromStatus(resp.StatusCode, "the upstream service responded with "+resp.Status)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return value, sdk.Downstream(sdk.AsError(err).Message, err)
	}
	if err := json.Unmarshal(text, &value); err != nil {
		return value, sdk.Downstream("invalid response from the upstream service", err)
	}
	return value, nil
}

// Close closes idle connections. It always returns nil.
func (c *Client) Close() error {
	c.t.CloseIdleConnections()
	return nil
}

// Config returns the configuration of connections, for other clients. The error is an
// *sdk.Error with status 400.
func (t TLS) Config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName, InsecureSkipVerify: t.SkipVerify}
	if t.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(t.CA)) {
			return nil, invalid("the CA certificate is not in PEM format")
		}
	}
	if t.ClientCert != "" || t.ClientKey != "" {
		pair, err := tls.X509KeyPair([]byte(t.ClientCert), []byte(t.ClientKey))
		if err != nil {
			return nil, &sdk.Error{Status: http.StatusBadRequest, Source: sdk.SourceDownstream,
				Message: "invalid settings: the client certificate and key are not in PEM format, or do not match", Cause: err}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func invalid(format string, args ...any) error {
	return sdk.Downstreamf(http.StatusBadRequest, "invalid settings: %s", fmt.Sprintf(format, args...))
}

func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
