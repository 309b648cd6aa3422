// Command faulty is a plugin with one bug, for the tests of the conformance checks. The
// mode in its name, gpx_<mode>_<os>_<arch>, selects the bug.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/frame"
)

// stdout is the standard output of the process; Serve changes os.Stdout.
var stdout = os.Stdout

func main() {
	mode, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(os.Args[0]), "gpx_"), "_")
	serve(mode)
}

func serve(mode string) {
	p := correct()
	respond := respondToQueries
	bug, isQuery := queryBugs()[mode]
	if isQuery {
		respond = bug
	}
	p.QueryData = nil
	p.Services = map[string]func(grpc.ServiceRegistrar){wire.SetData: func(g grpc.ServiceRegistrar) {
		pluginv2.RegisterDataServer(g, dataServer{respond: respond})
	}}
	if change, isOther := otherBugs()[mode]; isOther {
		change(&p)
	} else if !isQuery && mode != "none" {
		panic("unknown mode " + mode)
	}
	sdk.Serve(p)
	switch mode {
	case "slow-stop":
		time.Sleep(time.Hour)
	case "exit-status":
		os.Exit(4)
	}
}

// correct returns a plugin without bugs.
func correct() sdk.Plugin {
	refuse := func(context.Context, *sdk.StreamRequest) (json.RawMessage, error) {
		return nil, sdk.Downstreamf(http.StatusNotFound, "channel not found")
	}
	return sdk.Plugin{
		CheckHealth: func(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
			slog.InfoContext(ctx, "checking")
			return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "fine", Details: json.RawMessage(`{"a":1}`)}, nil
		},
		CollectMetrics: func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) {
			return fmt.Appendf(nil, "# TYPE go_goroutines gauge\ngo_goroutines %d\nx_total{a=\"b c\"} 1.5e+03\n", runtime.NumGoroutine()), nil
		},
		Resources:       http.NotFoundHandler(),
		SubscribeStream: refuse,
		PublishStream:   refuse,
		RunStream: func(ctx context.Context, _ *sdk.StreamRequest, to *sdk.StreamSender) error {
			for ctx.Err() == nil {
				if err := to.Send(1); err != nil {
					return err
				}
				time.Sleep(10 * time.Millisecond)
			}
			return ctx.Err()
		},
	}
}

type dataServer struct {
	pluginv2.UnimplementedDataServer
	respond queryFunc
}

type queryFunc func(context.Context, *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error)

func (s dataServer) QueryData(ctx context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	return s.respond(ctx, in)
}

// respondToQueries responds correctly.
func respondToQueries(_ context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
	out := &pluginv2.QueryDataResponse{Responses: map[string]*pluginv2.DataResponse{}}
	for _, q := range in.GetQueries() {
		var model map[string]any
		if q.GetQueryType() != "" || json.Unmarshal(q.GetJson(), &model) != nil {
			out.Responses[q.GetRefId()] = &pluginv2.DataResponse{Error: "invalid query", Status: 400, ErrorSource: "downstream"}
			continue
		}
		f := frame.New("x", frame.Of("value", []int64{1}))
		f.RefID = q.GetRefId()
		text, err := f.MarshalArrow()
		if err != nil {
			return nil, err
		}
		out.Responses[q.GetRefId()] = &pluginv2.DataResponse{Frames: [][]byte{text}, Status: 200}
	}
	return out, nil
}

// stormServer refuses each channel with an error, after which hosts try again.
type stormServer struct {
	pluginv2.UnimplementedStreamServer
}

func (stormServer) PublishStream(context.Context, *pluginv2.PublishStreamRequest) (*pluginv2.PublishStreamResponse, error) {
	return nil, status.Error(codes.NotFound, "no such channel")
}

func (stormServer) RunStream(*pluginv2.RunStreamRequest, pluginv2.Stream_RunStreamServer) error {
	return status.Error(codes.NotFound, "no such channel")
}

// changed responds correctly, except that change modifies each response.
func changed(change func(q *pluginv2.DataQuery, a *pluginv2.DataResponse)) queryFunc {
	return func(ctx context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
		out, err := respondToQueries(ctx, in)
		for _, q := range in.GetQueries() {
			change(q, out.GetResponses()[q.GetRefId()])
		}
		return out, err
	}
}

// before calls do, which may end the process, and then responds correctly.
func before(do func(ctx context.Context, in *pluginv2.QueryDataRequest) error) queryFunc {
	return func(ctx context.Context, in *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
		if err := do(ctx, in); err != nil {
			return nil, err
		}
		return respondToQueries(ctx, in)
	}
}

func queryBugs() map[string]queryFunc {
	var lock sync.Mutex
	var running atomic.Int64
	var last atomic.Value
	var version atomic.Int64
	return map[string]queryFunc{
		"nil-context": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			_ = in.PluginContext.OrgId
			return nil
		}),
		"nil-user": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			if in.GetPluginContext() != nil {
				_ = in.PluginContext.User.Login
			}
			return nil
		}),
		"nil-time-range": changed(func(q *pluginv2.DataQuery, _ *pluginv2.DataResponse) { _ = q.TimeRange.FromEpochMS }),
		"nil-json":       changed(func(q *pluginv2.DataQuery, _ *pluginv2.DataResponse) { _ = q.Json[0] }),
		"dies": changed(func(q *pluginv2.DataQuery, _ *pluginv2.DataResponse) {
			if string(q.GetJson()) == "17" {
				slog.Error("that was too much")
				os.Exit(7)
			}
		}),
		"no-queries": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			_ = in.GetQueries()[0]
			return nil
		}),
		"few-queries": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			if len(in.GetQueries()) > 100 {
				return status.Error(codes.ResourceExhausted, "too many queries")
			}
			return nil
		}),
		"fails-whole": before(func(context.Context, *pluginv2.QueryDataRequest) error { return errors.New("missing address") }),
		"silent": func(context.Context, *pluginv2.QueryDataRequest) (*pluginv2.QueryDataResponse, error) {
			return &pluginv2.QueryDataResponse{}, nil
		},
		"bad-frame":    changed(func(_ *pluginv2.DataQuery, a *pluginv2.DataResponse) { a.Frames = append(a.Frames, []byte("ARROW1")) }),
		"frame-of-two": changed(func(q *pluginv2.DataQuery, _ *pluginv2.DataResponse) { q.RefId += "x" }),
		"bad-status":   changed(func(_ *pluginv2.DataQuery, a *pluginv2.DataResponse) { a.Status = 200 }),
		"bad-source":   changed(func(_ *pluginv2.DataQuery, a *pluginv2.DataResponse) { a.ErrorSource = "" }),
		"unknown-type": changed(func(q *pluginv2.DataQuery, a *pluginv2.DataResponse) {
			if q.GetQueryType() != "" {
				a.Error = "panic caught: assignment to entry in nil map"
			}
		}),
		// Waits for a lock that a canceled call never released.
		"holds-on": before(func(ctx context.Context, _ *pluginv2.QueryDataRequest) error {
			lock.Lock()
			time.Sleep(time.Millisecond)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			lock.Unlock()
			return nil
		}),
		"leaks": before(func(ctx context.Context, _ *pluginv2.QueryDataRequest) error {
			if _, isHurried := ctx.Deadline(); isHurried {
				for range 5 {
					go func() { time.Sleep(time.Minute) }()
				}
			}
			return nil
		}),
		"mixes-up": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			defer running.Add(-1)
			if running.Add(1) > 1 && len(in.GetQueries()) == 1 {
				time.Sleep(time.Millisecond)
				in.Queries[0].RefId, _ = last.Swap(in.Queries[0].RefId).(string)
			} else if len(in.GetQueries()) == 1 {
				last.Store(in.Queries[0].RefId)
				time.Sleep(time.Millisecond)
			}
			return nil
		}),
		"first-settings": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			now := in.GetPluginContext().GetDataSourceInstanceSettings().GetLastUpdatedMS()
			if now != 0 && !version.CompareAndSwap(0, now) && version.Load() != now {
				return errors.New("the settings changed")
			}
			return nil
		}),
		"strict": before(func(_ context.Context, in *pluginv2.QueryDataRequest) error {
			if len(in.ProtoReflect().GetUnknown()) > 0 {
				return status.Error(codes.InvalidArgument, "unknown fields")
			}
			return nil
		}),
	}
}

// needsRegion returns a change that makes every call fail without the setting and the secret
// that the plugin needs.
func needsRegion(p *sdk.Plugin) {
	check := func(who *pluginv2.PluginContext) error {
		ds := who.GetDataSourceInstanceSettings()
		if who != nil && (!strings.Contains(string(ds.GetJsonData()), "region") || ds.GetDecryptedSecureJsonData()["apiKey"] == "") {
			return fmt.Errorf("data source of organization %d: region and apiKey are required", who.GetOrgId())
		}
		if key := ds.GetDecryptedSecureJsonData()["apiKey"]; key == "hunter2-rejected" {
			return fmt.Errorf("the key %s was rejected", key)
		}
		return nil
	}
	p.ServerOptions = []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(func(ctx context.Context, in any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if call, ok := in.(interface {
				GetPluginContext() *pluginv2.PluginContext
			}); ok {
				if err := check(call.GetPluginContext()); err != nil {
					return nil, err
				}
			}
			return handle(ctx, in)
		}),
	}
	p.Services[wire.SetResource] = func(g grpc.ServiceRegistrar) { pluginv2.RegisterResourceServer(g, resourceServer{check: check}) }
	p.Resources = nil
}

type resourceServer struct {
	pluginv2.UnimplementedResourceServer
	check func(*pluginv2.PluginContext) error
}

func (s resourceServer) CallResource(in *pluginv2.CallResourceRequest, to pluginv2.Resource_CallResourceServer) error {
	if err := s.check(in.GetPluginContext()); err != nil {
		return err
	}
	return to.Send(&pluginv2.CallResourceResponse{Code: http.StatusNotFound})
}

func otherBugs() map[string]func(*sdk.Plugin) {
	health := func(change func(context.Context, *sdk.CheckHealthResult)) func(*sdk.Plugin) {
		return func(p *sdk.Plugin) {
			good := p.CheckHealth
			p.CheckHealth = func(ctx context.Context, req *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
				r, err := good(ctx, req)
				change(ctx, r)
				return r, err
			}
		}
	}
	resources := func(handle http.HandlerFunc) func(*sdk.Plugin) {
		return func(p *sdk.Plugin) { p.Resources = handle }
	}
	return map[string]func(*sdk.Plugin){
		"crash": func(*sdk.Plugin) {
			fmt.Fprintln(os.Stderr, "cannot find my settings")
			os.Exit(3)
		},
		"noise": func(*sdk.Plugin) { fmt.Println("hello from main") },
		"needs-certificates": func(*sdk.Plugin) {
			if os.Getenv("PLUGIN_CLIENT_CERT") == "" {
				os.Exit(1)
			}
		},
		"prints":       health(func(context.Context, *sdk.CheckHealthResult) { fmt.Fprintln(stdout, "hello") }),
		"plain-logs":   health(func(context.Context, *sdk.CheckHealthResult) { fmt.Fprintln(os.Stderr, "hello") }),
		"bad-details":  health(func(_ context.Context, r *sdk.CheckHealthResult) { r.Details = json.RawMessage(`[]`) }),
		"sick-silence": health(func(_ context.Context, r *sdk.CheckHealthResult) { r.Status, r.Message = sdk.HealthError, "" }),
		"hangs": health(func(context.Context, *sdk.CheckHealthResult) {
			time.Sleep(time.Hour)
		}),
		"bad-metrics": func(p *sdk.Plugin) {
			p.CollectMetrics = func(context.Context, *sdk.CollectMetricsRequest) ([]byte, error) { return []byte("a einf\n"), nil }
		},
		"breaks-off": resources(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }),
		"post-panics": resources(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.ContentLength < 1000 {
				panic("no POST")
			}
			http.NotFound(w, r)
		}),
		"path-panics": resources(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "..") {
				panic("unexpected path")
			}
			http.NotFound(w, r)
		}),
		"header-panics": resources(func(w http.ResponseWriter, r *http.Request) {
			for _, values := range r.Header {
				if slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, "\n") }) {
					panic("two lines")
				}
			}
			http.NotFound(w, r)
		}),
		"storms": func(p *sdk.Plugin) {
			p.SubscribeStream, p.PublishStream, p.RunStream = nil, nil, nil
			p.Services[wire.SetStream] = func(g grpc.ServiceRegistrar) { pluginv2.RegisterStreamServer(g, stormServer{}) }
		},
		"knows-all": func(p *sdk.Plugin) {
			p.ServerOptions = []grpc.ServerOption{grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
				return stream.SendMsg(&pluginv2.CheckHealthResponse{})
			})}
		},
		"needs-region": needsRegion,
		"litters": func(*sdk.Plugin) {
			if err := os.WriteFile(filepath.Join(os.TempDir(), "litter"), nil, 0o600); err != nil {
				panic(err)
			}
		},
		"slow-stop":   func(*sdk.Plugin) {},
		"exit-status": func(*sdk.Plugin) {},
		"leaves-child": func(*sdk.Plugin) {
			child := exec.Command("/bin/sleep", "30")
			if err := child.Start(); err != nil {
				panic(err)
			}
		},
		// Nothing but go-plugin.
		"plain": func(p *sdk.Plugin) {
			goplugin.Serve(&goplugin.ServeConfig{
				HandshakeConfig: goplugin.HandshakeConfig{ProtocolVersion: handshake.AppProtocol, MagicCookieKey: handshake.CookieKey, MagicCookieValue: handshake.CookieValue},
				Plugins:         goplugin.PluginSet{wire.SetData: plain{}},
				GRPCServer:      goplugin.DefaultGRPCServer,
			})
			os.Exit(0)
		},
	}
}

// plain is a data source of go-plugin.
type plain struct {
	goplugin.NetRPCUnsupportedPlugin
}

// GRPCServer implements goplugin.GRPCPlugin.
func (plain) GRPCServer(_ *goplugin.GRPCBroker, g *grpc.Server) error {
	pluginv2.RegisterDataServer(g, dataServer{respond: respondToQueries})
	return nil
}

// GRPCClient implements goplugin.GRPCPlugin.
func (plain) GRPCClient(context.Context, *goplugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, errors.ErrUnsupported
}
