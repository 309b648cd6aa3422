// Package sdktest runs a plugin inside the test process. Calls go through the plugin
// protocol as in a host, but without another process, a port or global state, so that
// a test can start any number of plugins.
//
//	func TestQuery(t *testing.T) {
//		k := sdktest.Start(t, sdk.DataSources(newSource).Plugin())
//		k.Context.DataSource.JSON = []byte(`{"region": "north"}`)
//		response := k.Query(sdk.Query{JSON: []byte(`{"points": 3}`)})
//		sdktest.Golden(t, "testdata/query.json", response)
//	}
//
// To check individual values of a response, use [Frames].
package sdktest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/backend"
)

const (
	bufferSize    = 1 << 20          // of the connection in memory, in bytes
	streamTimeout = 10 * time.Second // for a packet of a stream
)

// channelPath matches the paths of channels that hosts pass on.
var channelPath = regexp.MustCompile(`^[A-Za-z0-9_./=-]+$`)

// Kit is a running plugin with the host that calls it.
type Kit struct {
	// Client makes calls with any sdk.Context. Query, Health and Stream use the Context and
	// the Headers of the kit; HTTP uses only its Context.
	*backend.Client
	// Context is that of an admin of organization 1, with a data source whose UID is "uid", and an app,
	// both without settings. A test changes what it needs.
	Context sdk.Context
	// Headers are forwarded with every call except resource requests.
	Headers map[string]string

	t testing.TB
}

// Start runs a plugin until the end of the test. It then cancels the plugin's calls and
// calls its Close, and fails the test if Close returns an error.
func Start(t testing.TB, p sdk.Plugin) *Kit {
	t.Helper()
	listener := bufconn.Listen(bufferSize)
	server := p.NewServer(slog.New(slog.NewTextHandler(t.Output(), nil)))
	var served sync.WaitGroup
	served.Go(func() { _ = server.Serve(listener) }) // until it is stopped
	conn, err := grpc.NewClient("passthrough:///plugin",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil { // cancels calls in progress
			t.Error(err)
		}
		server.GracefulStop()
		served.Wait()
		if p.Close != nil {
			if err := p.Close(); err != nil {
				t.Errorf("close plugin: %v", err)
			}
		}
	})
	return &Kit{
		Client: backend.New(conn), t: t,
		Context: sdk.Context{
			OrgID: 1, PluginID: "test",
			User:       &sdk.User{Login: "admin", Name: "Admin", Email: "admin@localhost", Role: "Admin"},
			App:        &sdk.App{},
			DataSource: &sdk.DataSource{ID: 1, UID: "uid", Name: "Test"},
		},
	}
}

const maxMessage = 1<<31 - 1

// Query sends one query and returns its response. If the call as a whole fails, for
// example because of invalid settings, the response contains its error. Fields of q
// that are zero get defaults: the RefID "A", the type in "queryType" of the JSON, and the
// hour before noon UTC on January 2, 2026.
func (k *Kit) Query(q sdk.Query) sdk.DataResponse {
	k.t.Helper()
	q.RefID = cmp.Or(q.RefID, "A")
	if q.Type == "" && len(q.JSON) > 0 {
		var head struct {
			Type string `json:"queryType"`
		}
		if json.Unmarshal(q.JSON, &head) == nil {
			q.Type = head.Type
		}
	}
	if q.TimeRange.To.IsZero() {
		q.TimeRange.To = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
		q.TimeRange.From = q.TimeRange.To.Add(-time.Hour)
	}
	responses, err := k.QueryData(k.t.Context(), &sdk.QueryDataRequest{Context: k.Context, Headers: k.Headers, Queries: []sdk.Query{q}})
	if err != nil {
		return sdk.DataResponse{Status: sdk.AsError(err).Status, Err: err}
	}
	return responses[q.RefID]
}

// Health runs the plugin's health check. It fails the test if the call fails.
func (k *Kit) Health() *sdk.CheckHealthResult {
	k.t.Helper()
	result, err := k.CheckHealth(k.t.Context(), &sdk.CheckHealthRequest{Context: k.Context, Headers: k.Headers})
	if err != nil {
		k.t.Fatal(err)
	}
	return result
}

// HTTP returns a client for the plugin's resources, whose root is http://plugin/. The
// client receives a response as the plugin flushes it.
func (k *Kit) HTTP() *http.Client { return &http.Client{Transport: transport{k}} }

type transport struct{ kit *Kit }

// RoundTrip implements http.RoundTripper with CallResource.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	path := strings.TrimPrefix(r.URL.Path, "/")
	call := &backend.CallResourceRequest{
		Context: t.kit.Context, Method: r.Method, Header: r.Header, Body: body,
		Path: path, URL: (&url.URL{Path: path, RawQuery: r.URL.RawQuery}).String(),
	}
	ctx, cancel := context.WithCancel(r.Context())
	reader, writer := io.Pipe()
	first := make(chan *http.Response, 1)
	failed := make(chan error, 1)
	go func() {
		started := false
		err := t.kit.CallResource(ctx, call, func(piece backend.CallResourceResponse) error {
			if !started {
				started = true
				first <- &http.Response{
					StatusCode: piece.Status, Status: fmt.Sprintf("%d %s", piece.Status, http.StatusText(piece.Status)), Header: piece.Header, Request: r,
					Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
					Body: pieces{Reader: reader, close: func() error { cancel(); return reader.Close() }},
				}
			}
			_, err := writer.Write(piece.Body)
			return err
		})
		if err == nil && !started {
			err = errors.New("the plugin sent no response")
		}
		_ = writer.CloseWithError(err) // never fails
		failed <- err
	}()
	select {
	case resp := <-first:
		return resp, nil
	case err := <-failed:
		select {
		case resp := <-first: // both were ready
			return resp, nil
		default:
		}
		cancel()
		return nil, err
	}
}

type pieces struct {
	io.Reader
	close func() error
}

// Close ends the request.
func (b pieces) Close() error { return b.close() }

// Stream subscribes to a channel, runs it, and returns its first n packets. If the
// channel ends before that, Stream returns the packets so far and the error that ended
// it, which may be nil. It fails the test after 10 s without a packet, and for a path that no
// host passes on.
func (k *Kit) Stream(path string, n int) ([]json.RawMessage, error) {
	k.t.Helper()
	if !channelPath.MatchString(path) {
		k.t.Fatalf("stream %q: hosts refuse the path of a channel with other characters than letters, digits and -_./=", path)
	}
	ctx, cancel := context.WithCancelCause(k.t.Context())
	defer cancel(nil)
	req := &sdk.StreamRequest{Context: k.Context, Headers: k.Headers, Path: path}
	if _, err := k.SubscribeStream(ctx, req); err != nil {
		return nil, err
	}
	silent := errors.New("no packet")
	timer := time.AfterFunc(streamTimeout, func() { cancel(silent) })
	defer timer.Stop()
	var packets []json.RawMessage
	enough := errors.New("enough")
	err := k.RunStream(ctx, req, func(packet json.RawMessage) error {
		timer.Reset(streamTimeout)
		if packets = append(packets, packet); len(packets) >= n {
			return enough
		}
		return nil
	})
	switch {
	case context.Cause(ctx) == silent:
		k.t.Fatalf("stream %q sent %d of %d packets and then none for %s", path, len(packets), n, streamTimeout)
	case errors.Is(err, enough):
		err = nil
	}
	return packets, err
}
