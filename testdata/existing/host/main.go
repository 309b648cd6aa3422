// Command host starts the executable of a plugin as the existing host does, with the
// clients of Grafana's SDK. It calls every handler with a context in which every field is
// set, and prints each result as a JSON object on one line.
//
//	host [-type app] <executable>
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/grpcplugin"
	"github.com/grafana/grafana-plugin-sdk-go/backend/useragent"
	"github.com/grafana/grafana-plugin-sdk-go/config"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/status"
)

// callTimeout limits each call, in case a plugin hangs.
const callTimeout = 20 * time.Second

func main() {
	kind := flag.String("type", "datasource", "which settings the context has: datasource or app")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: host [-type app] <executable>")
		os.Exit(2)
	}
	if err := drive(flag.Arg(0), *kind == "app"); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

// host has a client for each plugin set.
type host struct {
	isApp       bool
	data        grpcplugin.DataClient
	diagnostics grpcplugin.DiagnosticsClient
	resource    grpcplugin.ResourceClient
	stream      grpcplugin.StreamClient
}

// line is the output for a call.
type line struct {
	Call   string   `json:"call"`
	Result any      `json:"result,omitempty"`
	Error  *failure `json:"error,omitempty"`
}

// failure is the error of a whole call.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Source  string `json:"source,omitempty"` // in the ErrorInfo, or ""
}

func drive(executable string, isApp bool) error {
	client := goplugin.NewClient(&goplugin.ClientConfig{
		Cmd: exec.Command(executable),
		HandshakeConfig: goplugin.HandshakeConfig{
			ProtocolVersion: grpcplugin.ProtocolVersion, MagicCookieKey: grpcplugin.MagicCookieKey, MagicCookieValue: grpcplugin.MagicCookieValue,
		},
		VersionedPlugins: map[int]goplugin.PluginSet{grpcplugin.ProtocolVersion: {
			"data": &grpcplugin.DataGRPCPlugin{}, "diagnostics": &grpcplugin.DiagnosticsGRPCPlugin{},
			"resource": &grpcplugin.ResourceGRPCPlugin{}, "stream": &grpcplugin.StreamGRPCPlugin{},
		}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         true,
		Logger:           hclog.NewNullLogger(),
		Stderr:           os.Stderr,
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return fmt.Errorf("start %s: %w", executable, err)
	}
	h := &host{isApp: isApp}
	err = errors.Join(dispense(protocol, "data", &h.data), dispense(protocol, "diagnostics", &h.diagnostics),
		dispense(protocol, "resource", &h.resource), dispense(protocol, "stream", &h.stream))
	if err != nil {
		return err
	}
	if err := emit(line{Call: "Start", Result: map[string]int{"pid": client.ReattachConfig().Pid}}); err != nil {
		return err
	}
	return errors.Join(h.health(), h.query(), h.resources(), h.streams(), h.metrics())
}

// dispense returns a client of type T.
func dispense[T any](from goplugin.ClientProtocol, name string, into *T) error {
	raw, err := from.Dispense(name)
	if err != nil {
		return fmt.Errorf("dispense %s: %w", name, err)
	}
	client, ok := raw.(T)
	if !ok {
		return fmt.Errorf("dispense %s: got a %T", name, raw)
	}
	*into = client
	return nil
}

func emit(l line) error { return json.NewEncoder(os.Stdout).Encode(l) }

// try makes a call and prints its outcome.
func try(name string, call func(context.Context) (any, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	result, err := call(ctx)
	l := line{Call: name, Result: result}
	if err != nil {
		s := status.Convert(err)
		l.Error = &failure{Code: s.Code().String(), Message: s.Message()}
		if source, has := backend.ErrorSourceFromGrpcStatusError(ctx, err); has {
			l.Error.Source = source.String()
		}
	}
	return emit(l)
}

// context has a distinct value in every field.
func (h *host) context() (backend.PluginContext, error) {
	agent, err := useragent.New("12.1.0", "linux", "amd64")
	if err != nil {
		return backend.PluginContext{}, err
	}
	c := backend.PluginContext{
		OrgID: 3, Namespace: "stacks-7", PluginID: "interop-echo-" + h.kind(), PluginVersion: "1.2.3", APIVersion: "v0alpha1",
		UserAgent: agent, GrafanaConfig: config.NewGrafanaCfg(map[string]string{
			"GF_APP_URL": "http://localhost:3000/", "GF_INSTANCE_FEATURE_TOGGLES_ENABLE": "first,second", "GF_CONCURRENT_QUERY_COUNT": "10",
			"GF_SQL_ROW_LIMIT": "1000000", "GF_SQL_MAX_OPEN_CONNS_DEFAULT": "100", "GF_SQL_MAX_IDLE_CONNS_DEFAULT": "50", "GF_SQL_MAX_CONN_LIFETIME_SECONDS_DEFAULT": "14400",
		}),
		User: &backend.User{Login: "jo", Name: "Jo Ö", Email: "jo@localhost", Role: "Editor"},
	}
	updated := time.UnixMilli(1767225600123)
	if h.isApp {
		c.AppInstanceSettings = &backend.AppInstanceSettings{
			JSONData: json.RawMessage(`{"region":"north"}`), DecryptedSecureJSONData: map[string]string{"key": "s3cret"},
			Updated: updated, APIVersion: "v1",
		}
		return c, nil
	}
	c.DataSourceInstanceSettings = &backend.DataSourceInstanceSettings{
		ID: 42, UID: "uid-42", Type: c.PluginID, Name: "North", URL: "http://north.example/api", User: "reader", Database: "metrics",
		BasicAuthEnabled: true, BasicAuthUser: "basic",
		JSONData: json.RawMessage(`{"region":"north"}`), DecryptedSecureJSONData: map[string]string{"key": "s3cret"},
		Updated: updated, APIVersion: "v1",
	}
	return c, nil
}

// bare has only what every call has.
func (h *host) bare() backend.PluginContext {
	if h.isApp {
		return backend.PluginContext{OrgID: 4, AppInstanceSettings: &backend.AppInstanceSettings{}}
	}
	return backend.PluginContext{OrgID: 4, DataSourceInstanceSettings: &backend.DataSourceInstanceSettings{UID: "bare"}}
}

func (h *host) kind() string {
	if h.isApp {
		return "app"
	}
	return "datasource"
}

// headers are those that the existing host forwards, where HTTP headers have a prefix.
func headers() map[string]string {
	return map[string]string{"http_X-Trace": "t1", "Authorization": "Bearer abc", "FromAlert": "true"}
}

func (h *host) health() error {
	full, err := h.context()
	if err != nil {
		return err
	}
	check := func(name string, c backend.PluginContext, headers map[string]string) error {
		return try("CheckHealth "+name, func(ctx context.Context) (any, error) {
			// Grafana's SDK has no conversion of this request.
			out, err := h.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: backend.ToProto().PluginContext(c), Headers: headers})
			if err != nil {
				return nil, err
			}
			r := backend.FromProto().CheckHealthResponse(out)
			return map[string]any{"status": r.Status.String(), "message": r.Message, "details": json.RawMessage(r.JSONDetails)}, nil
		})
	}
	return errors.Join(check("ok", full, headers()), check("bare", h.bare(), nil),
		check("sick", full, map[string]string{"http_X-Health": "sick"}),
		check("unknown", full, map[string]string{"http_X-Health": "unknown"}),
		check("broken", full, map[string]string{"http_X-Health": "broken"}))
}

func (h *host) query() error {
	full, err := h.context()
	if err != nil {
		return err
	}
	ask := func(name string, queries ...backend.DataQuery) error {
		return try("QueryData "+name, func(ctx context.Context) (any, error) {
			for i := range queries {
				queries[i].TimeRange = backend.TimeRange{From: time.UnixMilli(1767225600001), To: time.UnixMilli(1767229200002)}
				queries[i].Interval, queries[i].MaxDataPoints = 1500*time.Millisecond, 321
			}
			out, err := h.data.QueryData(ctx, backend.ToProto().QueryDataRequest(&backend.QueryDataRequest{PluginContext: full, Headers: headers(), Queries: queries}))
			if err != nil {
				return nil, err
			}
			resp, err := backend.FromProto().QueryDataResponse(out)
			if err != nil {
				return nil, err
			}
			return answers(resp)
		})
	}
	one := func(refID, kind, model string) backend.DataQuery {
		return backend.DataQuery{RefID: refID, QueryType: kind, JSON: json.RawMessage(model)}
	}
	return errors.Join(
		ask("all",
			one("echo", "echo", `{"q":"up","n":1}`), one("series", "series", `{}`),
			one("plugin", "error", `{"status":500,"source":"plugin","message":"a bug"}`),
			one("downstream", "error", `{"status":429,"source":"downstream","message":"too many"}`),
			one("partial", "partial", `{"status":504,"source":"downstream","message":"in part"}`),
			one("plain", "plain", `{"message":"no more is known"}`), one("absent", "absent", `{}`)),
		ask("fail plugin", one("A", "fail", `{"source":"plugin","message":"a bug in all"}`)),
		ask("fail downstream", one("A", "fail", `{"source":"downstream","status":403,"message":"all denied"}`)),
		ask("fail plain", one("A", "fail", `{"message":"no more is known"}`)),
		ask("panic", one("A", "panic", `{"message":"oh no"}`)),
		ask("none"))
}

// answer is the output for a DataResponse.
type answer struct {
	Frames []*data.Frame `json:"frames,omitempty"`
	Status int           `json:"status"`
	Error  string        `json:"error,omitempty"`
	Source string        `json:"source,omitempty"`
}

func answers(resp *backend.QueryDataResponse) (map[string]answer, error) {
	out := map[string]answer{}
	for id, r := range resp.Responses {
		a := answer{Frames: r.Frames, Status: int(r.Status), Source: string(r.ErrorSource)}
		if r.Error != nil {
			a.Error = r.Error.Error()
		}
		out[id] = a
	}
	return out, nil
}

// piece is a message of a response to a resource request.
type piece struct {
	Status  int                 `json:"status,omitempty"`
	Headers map[string][]string `json:"headers,omitempty"`
	Body    string              `json:"body"`
}

// call sends a resource request and passes on each message as it arrives.
func (h *host) call(ctx context.Context, req *backend.CallResourceRequest, each func(piece) error) ([]piece, error) {
	full, err := h.context()
	if err != nil {
		return nil, err
	}
	req.PluginContext = full
	stream, err := h.resource.CallResource(ctx, backend.ToProto().CallResourceRequest(req))
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for {
		out, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return pieces, nil
		}
		if err != nil {
			return pieces, err
		}
		r := backend.FromProto().CallResourceResponse(out)
		p := piece{Status: r.Status, Headers: r.Headers, Body: string(r.Body)}
		pieces = append(pieces, p)
		if each != nil {
			if err := each(p); err != nil {
				return pieces, err
			}
		}
	}
}

func (h *host) resources() error {
	request := func(path string) *backend.CallResourceRequest {
		return &backend.CallResourceRequest{Method: "GET", Path: path, URL: path}
	}
	return errors.Join(
		try("CallResource echo", func(ctx context.Context) (any, error) {
			return h.call(ctx, &backend.CallResourceRequest{
				Method: "PATCH", Path: "echo/größe 1", URL: "echo/größe 1?a=1&b=x%20y&a=2",
				Headers: map[string][]string{"X-One": {"1"}, "X-Many": {"a", "b"}}, Body: []byte{0, 1, 0xfe, 0xff},
			}, nil)
		}),
		try("CallResource pieces", func(ctx context.Context) (any, error) {
			return h.call(ctx, request("pieces"), func(p piece) error {
				if p.Body != "one" && p.Body != "two" {
					return nil
				}
				_, err := h.call(ctx, request("next"), nil)
				return err
			})
		}),
		try("CallResource missing", func(ctx context.Context) (any, error) { return h.call(ctx, request("nope"), nil) }),
		try("CallResource broken", func(ctx context.Context) (any, error) { return h.call(ctx, request("broken"), nil) }),
	)
}

func (h *host) streams() error {
	full, err := h.context()
	if err != nil {
		return err
	}
	sent := json.RawMessage(`{"hello":"wörld"}`)
	var faults []error
	for _, path := range []string{"ticks", "silent", "missing", "secret", "broken"} {
		faults = append(faults,
			try("SubscribeStream "+path, func(ctx context.Context) (any, error) {
				out, err := h.stream.SubscribeStream(ctx, backend.ToProto().SubscribeStreamRequest(&backend.SubscribeStreamRequest{PluginContext: full, Path: path, Data: sent, Headers: headers()}))
				if err != nil {
					return nil, err
				}
				r := backend.FromProto().SubscribeStreamResponse(out)
				return map[string]any{"status": r.Status, "data": nullable(r.InitialData.Data())}, nil
			}),
			try("PublishStream "+path, func(ctx context.Context) (any, error) {
				out, err := h.stream.PublishStream(ctx, backend.ToProto().PublishStreamRequest(&backend.PublishStreamRequest{PluginContext: full, Path: path, Data: sent, Headers: headers()}))
				if err != nil {
					return nil, err
				}
				r := backend.FromProto().PublishStreamResponse(out)
				return map[string]any{"status": r.Status, "data": nullable(r.Data)}, nil
			}))
	}
	for _, path := range []string{"ticks", "broken", "refused", "forever"} {
		faults = append(faults, try("RunStream "+path, func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			stream, err := h.stream.RunStream(ctx, backend.ToProto().RunStreamRequest(&backend.RunStreamRequest{PluginContext: full, Path: path, Data: sent, Headers: headers()}))
			if err != nil {
				return nil, err
			}
			packets := []json.RawMessage{}
			for {
				out, err := stream.Recv()
				if errors.Is(err, io.EOF) {
					return packets, nil
				}
				if err != nil {
					return packets, err
				}
				if packets = append(packets, backend.FromProto().StreamPacket(out).Data); path == "forever" && len(packets) == 3 {
					return packets, nil
				}
			}
		}))
	}
	// The plugin must learn that the stream was canceled.
	return errors.Join(errors.Join(faults...), try("CallResource ended", func(ctx context.Context) (any, error) {
		return h.call(ctx, &backend.CallResourceRequest{Method: "GET", Path: "ended", URL: "ended"}, nil)
	}))
}

// nullable returns nil for empty JSON.
func nullable(text []byte) json.RawMessage {
	if len(text) == 0 {
		return nil
	}
	return text
}

func (h *host) metrics() error {
	full, err := h.context()
	if err != nil {
		return err
	}
	return try("CollectMetrics", func(ctx context.Context) (any, error) {
		out, err := h.diagnostics.CollectMetrics(ctx, backend.ToProto().CollectMetricsRequest(&backend.CollectMetricsRequest{PluginContext: full}))
		if err != nil {
			return nil, err
		}
		return string(backend.FromProto().CollectMetricsResponse(out).PrometheusMetrics), nil
	})
}
