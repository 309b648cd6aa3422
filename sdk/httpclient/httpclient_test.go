package httpclient_test

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/httpclient"
	"github.com/slipway-dev/slipway/sdk/sdktest"
)

// echo is a service that responds with the headers of the request.
func echo(t *testing.T) *httptest.Server {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("Host", r.Host)
		_ = json.NewEncoder(w).Encode(r.Header)
	})
}

// open returns a client that is closed when the test ends.
func open(t *testing.T, o httpclient.Options) *httpclient.Client {
	t.Helper()
	c := testkit.Must(httpclient.New(o))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// serve starts a service that is closed when the test ends.
func serve(t *testing.T, respond http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(respond)
	t.Cleanup(s.Close)
	return s
}

// ask sends a request and returns the headers that the service received.
func ask(ctx context.Context, c *httpclient.Client, url string, header http.Header) (http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, header)
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var seen http.Header
	return seen, json.NewDecoder(resp.Body).Decode(&seen)
}

func TestFromDataSource(t *testing.T) {
	t.Parallel()
	service := echo(t)
	o, err := httpclient.FromDataSource(sdk.DataSource{
		URL: service.URL, BasicAuth: true, BasicAuthUser: "ann",
		Settings: sdk.Settings{
			JSON:    []byte(`{"timeout":"5","httpHeaderName1":"X-Shop","httpHeaderName2":"Host","httpHeaderName3":"","other":{}}`),
			Secrets: map[string]string{"basicAuthPassword": "hunter2", "httpHeaderValue1": "north", "httpHeaderValue2": "shop.example"},
		},
	})
	if err != nil || o.Timeout != 5*time.Second {
		t.Fatalf("%+v, %v", o, err)
	}
	c := open(t, o)
	seen := testkit.Must(ask(t.Context(), c, service.URL, nil))(t)
	if seen.Get("Authorization") != "Basic YW5uOmh1bnRlcjI=" || seen.Get("X-Shop") != "north" || seen.Get("Host") != "shop.example" {
		t.Errorf("%v", seen)
	}
	if seen, err = ask(t.Context(), c, service.URL, http.Header{"Authorization": {"mine"}, "X-Shop": {"south"}}); err != nil || seen.Get("Authorization") != "mine" || seen.Get("X-Shop") != "south" {
		t.Errorf("the headers of the request were replaced: %v, %v", seen, err)
	}
	for _, c := range []struct {
		json, secret, value, want string
	}{
		{`{"timeout":"soon"}`, "", "", `"timeout" must be a number of seconds`},
		{`{"timeout":-1}`, "", "", `"timeout" must be a number of seconds`},
		{`{"tlsAuthWithCACert":true}`, "", "", `"tlsCACert" is missing`},
		{`{"tlsAuth":true}`, "tlsClientCert", "x", `"tlsClientKey" is missing`},
		{`{"httpHeaderName1":"a b"}`, "", "", `"httpHeaderName1" must be a header name`},
		{`{"httpHeaderName1":7}`, "", "", `"httpHeaderName1" must be a header name`},
		{`{"httpHeaderName1":"A"}`, "httpHeaderValue1", "hunter2\r\nX: y", `"httpHeaderValue1" must be a header value`},
	} {
		_, err := httpclient.FromDataSource(sdk.DataSource{URL: "http://h", Settings: sdk.Settings{JSON: []byte(c.json), Secrets: map[string]string{c.secret: c.value}}})
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Status != http.StatusBadRequest || !strings.Contains(e.Message, c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.json, err)
		}
	}
}

// The body of a request is not sent to another origin after a redirect.
func TestBodyStaysHome(t *testing.T) {
	t.Parallel()
	var received atomic.Int32
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { received.Add(1) })
	for status, wantErr := range map[int]bool{http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true, http.StatusSeeOther: false} {
		home := serve(t, http.RedirectHandler(other.URL, status).ServeHTTP)
		c := open(t, httpclient.Options{URL: home.URL})
		before := received.Load()
		req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, home.URL, strings.NewReader("hunter2")))(t)
		resp, err := c.Do(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if (err != nil) != wantErr || wantErr && (received.Load() != before || !strings.Contains(err.Error(), "the body is sent to the configured URL only")) {
			t.Errorf("status %d: %v, %d requests", status, err, received.Load()-before)
		}
	}
}

func TestInvalidTimeouts(t *testing.T) {
	t.Parallel()
	for _, timeout := range []string{`"NaN"`, `"nan"`, `"-NaN"`, `"Inf"`, `"-1"`, `-1`, `1e7`, `"1s"`} {
		ds := sdk.DataSource{URL: "http://h", Settings: sdk.Settings{JSON: []byte(`{"timeout":` + timeout + `}`)}}
		if o, err := httpclient.FromDataSource(ds); err == nil {
			t.Errorf("timeout %s is accepted as %s", timeout, o.Timeout)
		}
	}
}

func TestRefusedOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]httpclient.Options{
		"no address":       {URL: "shop"},
		"secret address":   {URL: "ftp://u:hunter2@h"},
		"token for nobody": {BearerToken: "hunter2"},
		"CA":               {TLS: httpclient.TLS{CA: "hunter2"}},
		"client key":       {TLS: httpclient.TLS{ClientCert: "x", ClientKey: "hunter2"}},
	} {
		if c, err := httpclient.New(o); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, %v", name, c, err)
		}
	}
}

// Credentials are not sent to another origin, neither those of the options nor, after a
// redirect, those of the request.
func TestCredentialsStayHome(t *testing.T) {
	t.Parallel()
	other := echo(t)
	home := serve(t, http.RedirectHandler(other.URL, http.StatusTemporaryRedirect).ServeHTTP)
	c := open(t, httpclient.Options{URL: home.URL, BearerToken: "hunter2", Header: http.Header{"X-Key": {"hunter2"}}})
	own := http.Header{"Authorization": {"Bearer hunter2"}, "Cookie": {"k=hunter2"}, "X-Api-Key": {"hunter2"}, "Accept": {"text/plain"}}
	for _, test := range []struct {
		url string
		own http.Header
	}{{home.URL, nil}, {other.URL, nil}, {home.URL + "/?api_key=hunter2", own}} {
		seen, err := ask(t.Context(), c, test.url, test.own)
		if err != nil || strings.Contains(fmt.Sprint(seen), "hunter2") || test.own != nil && seen.Get("Accept") != "text/plain" {
			t.Errorf("%s: %v, %v", test.url, seen, err)
		}
	}
}

func TestErrorsHoldNoQuery(t *testing.T) {
	t.Parallel()
	c := open(t, httpclient.Options{})
	if _, err := ask(t.Context(), c, "http://ann:hunter2@127.0.0.1:1/path?api_key=hunter2", nil); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "/path") {
		t.Errorf("%v", err)
	}
}

// The client certificate and SkipVerify apply to the service only.
func TestTLSStaysHome(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	var certificates atomic.Int32
	other := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { certificates.Add(int32(len(r.TLS.PeerCertificates)) + 1) }))
	other.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	other.StartTLS()
	t.Cleanup(other.Close)
	home := httptest.NewTLSServer(http.RedirectHandler(other.URL, http.StatusFound))
	t.Cleanup(home.Close)
	c := open(t, httpclient.Options{URL: home.URL, TLS: httpclient.TLS{ClientCert: cert, ClientKey: key, SkipVerify: true}})
	if _, err := ask(t.Context(), c, home.URL, nil); err == nil || certificates.Load() != 0 {
		t.Errorf("another origin was trusted, and saw %d certificates: %v", certificates.Load()-1, err)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var out io.Writer = w
		if r.URL.Path == "/bomb" && r.Header.Get("Accept-Encoding") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer func() { _ = z.Close() }()
			out = z
		}
		_, _ = io.WriteString(out, strings.Repeat("x", 100_000))
	})
	for _, c := range []struct {
		path  string
		limit int64
		fails bool
	}{{"/", 100_000, false}, {"/", 99_999, true}, {"/bomb", 99_999, true}, {"/", -1, false}, {"/", 0, false}, {"/", math.MaxInt64, false}} {
		client := open(t, httpclient.Options{MaxResponse: c.limit})
		resp := testkit.Must(client.HTTP.Get(s.URL + c.path))(t)
		n, err := io.Copy(io.Discard, resp.Body)
		e, isError := errors.AsType[*sdk.Error](err)
		switch {
		case c.fails != (err != nil):
			t.Errorf("%s with the limit %d: got the error %v", c.path, c.limit, err)
		case c.fails && n != c.limit:
			t.Errorf("%s with the limit %d: read %d bytes", c.path, c.limit, n)
		case c.fails && (!isError || e.Status != http.StatusBadGateway || e.Source != sdk.SourceDownstream):
			t.Errorf("%s with the limit %d: got the error %#v, want a downstream error with status 502", c.path, c.limit, err)
		}
		_ = resp.Body.Close()
	}
}

// The trace, the user's credentials and the host's limit come from the call.
func TestWithinACall(t *testing.T) {
	t.Parallel()
	service := echo(t)
	c := open(t, httpclient.Options{URL: service.URL, ForwardSignIn: true, BearerToken: "the plugin's"})
	var seen http.Header
	k := sdktest.Start(t, sdk.Plugin{CheckHealth: func(ctx context.Context, _ *sdk.CheckHealthRequest) (_ *sdk.CheckHealthResult, err error) {
		seen, err = ask(ctx, c, service.URL, nil)
		return &sdk.CheckHealthResult{Status: sdk.HealthOK}, err
	}})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	ctx := metadata.AppendToOutgoingContext(t.Context(), "traceparent", trace, "baggage", "shop=north")
	req := &sdk.CheckHealthRequest{Context: k.Context, Headers: map[string]string{"Authorization": "the user's", "http_X-Other": "no"}}
	result, err := k.CheckHealth(ctx, req)
	if err != nil || result.Status != sdk.HealthOK {
		t.Fatalf("%+v, %v", result, err)
	}
	for name, want := range map[string]string{"Traceparent": trace, "Baggage": "shop=north", "Authorization": "the user's", "X-Other": ""} {
		if got := seen.Get(name); got != want {
			t.Errorf("the service received %s: %q, want %q", name, got, want)
		}
	}
	req.Context.Config = map[string]string{"GF_RESPONSE_LIMIT": "10"}
	if result, err = k.CheckHealth(ctx, req); err != nil || !strings.Contains(result.Message, "larger than 10 bytes") {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(http.Header{"Client": {fmt.Sprint(len(r.TLS.PeerCertificates))}})
	}))
	pair := testkit.Must(tls.X509KeyPair([]byte(cert), []byte(key)))(t)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	for name, c := range map[string]struct {
		tls     httpclient.TLS
		clients string
	}{
		"nobody's":      {httpclient.TLS{}, ""},
		"ours":          {httpclient.TLS{CA: cert, ServerName: "shop.example"}, "0"},
		"wrong name":    {httpclient.TLS{CA: cert}, ""},
		"client":        {httpclient.TLS{CA: cert, ServerName: "shop.example", ClientCert: cert, ClientKey: key}, "1"},
		"not checked":   {httpclient.TLS{SkipVerify: true}, "0"},
		"another's too": {httpclient.TLS{CA: cert, ServerName: "other.example"}, ""},
	} {
		client := open(t, httpclient.Options{URL: server.URL, TLS: c.tls})
		seen, err := ask(t.Context(), client, server.URL, nil)
		if (err == nil) != (c.clients != "") || seen.Get("Client") != c.clients {
			t.Errorf("%s: %v, %v", name, seen, err)
		}
		if err != nil {
			if e := sdk.AsError(err); e.Status != http.StatusBadGateway || e.Source != sdk.SourceDownstream {
				t.Errorf("%s: %+v", name, e)
			}
		}
	}
}

// certificate returns a self-signed certificate for shop.example.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private := testkit.Must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"shop.example"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der := testkit.Must(x509.CreateCertificate(rand.Reader, template, template, private.Public(), private))(t)
	pkcs8 := testkit.Must(x509.MarshalPKCS8PrivateKey(private))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	c := open(t, httpclient.Options{URL: s.URL, Timeout: 20 * time.Millisecond})
	u, err := c.URL("a", "b")
	if err != nil || u.Path != "/a/b" {
		t.Fatalf("%v, %v", u, err)
	}
	if _, err = ask(t.Context(), c, u.String(), nil); sdk.AsError(err).Status != http.StatusGatewayTimeout {
		t.Errorf("%v", err)
	}
}

func TestGetJSON(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.EscapedPath() {
		case "/v1/a%2Fb":
			_, _ = io.WriteString(w, `[1,2]`)
		case "/v1/text":
			_, _ = io.WriteString(w, `<html>`)
		case "/v1/large":
			_, _ = io.WriteString(w, `"`+strings.Repeat("x", 2000)+`"`)
		case "/v1/cut":
			w.Header().Set("Content-Length", "10")
			_, _ = io.WriteString(w, `[1,`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	c := open(t, httpclient.Options{URL: s.URL + "/v1/", MaxResponse: 1000})
	if list, err := httpclient.GetJSON[[]int](t.Context(), c, "a/b"); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
	none := open(t, httpclient.Options{})
	for name, test := range map[string]struct {
		client  *httpclient.Client
		segment string
		status  int
		message string
	}{
		"no such thing": {c, "c", 404, "the upstream service responded with 404 Not Found"},
		"no JSON":       {c, "text", 502, "invalid response from the upstream service"},
		"too large":     {c, "large", 502, "the response from the upstream service is larger than 1000 bytes; request less data, or raise the limit"},
		"cut":           {c, "cut", 502, "the upstream service closed the connection"},
		"a step up":     {c, "..", 400, `invalid path segment "..": it must not contain "." or ".."`},
		"no URL":        {none, "a", 400, "invalid settings: the data source has no URL"},
	} {
		_, err := httpclient.GetJSON[any](t.Context(), test.client, test.segment)
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Status != test.status || e.Source != sdk.SourceDownstream || e.Message != test.message {
			t.Errorf("%s: %v", name, err)
		}
	}
}
