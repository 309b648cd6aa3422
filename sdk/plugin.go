package sdk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/internal/wire"
)

// Plugin is what a backend can do. Each handler is optional: a plugin advertises
// the services it has handlers for, and the host is told "not supported" for the
// rest. Handlers are called concurrently.
type Plugin struct {
	// QueryData answers the queries of a panel, an alert or an exploration.
	QueryData QueryDataFunc
	// CheckHealth says whether the plugin can do its work.
	CheckHealth CheckHealthFunc
	// Resources serves the plugin's own HTTP endpoints. The path of the request
	// is relative to the plugin and starts with a slash.
	Resources http.Handler
	// SubscribeStream, RunStream and PublishStream are the plugin's channels; see
	// StreamHandler.
	SubscribeStream SubscribeStreamFunc
	RunStream       RunStreamFunc
	PublishStream   PublishStreamFunc
	// CollectMetrics returns the plugin's metrics; see sdk/metrics.
	CollectMetrics CollectMetricsFunc
	// Services are further gRPC services by the name of their plugin set; the
	// packages sdk/renderer and sdk/secretsmanager fill it.
	Services map[string]func(grpc.ServiceRegistrar)
	// ServerOptions are added to the gRPC server; sdk/tracing has some.
	ServerOptions []grpc.ServerOption
	// LogLevel is the lowest level that is sent to the host; the zero value is
	// Info.
	LogLevel slog.Level
	// Close is called once, when the plugin has been told to stop and its calls
	// have been cancelled. The host kills a plugin that takes longer than 2 s.
	Close func() error
}

// Serve runs the plugin until the host stops it, then returns. It makes the
// default slog logger write to the host. Started by hand rather than by a host it
// says so on standard error and exits with status 1. Standard output belongs to
// the protocol: print nothing to it.
func Serve(p Plugin) {
	handshake := wire.Handshake()
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprintln(os.Stderr, "This program is the backend of a plugin; a host starts it.")
		fmt.Fprintln(os.Stderr, "Run \"go tool mage dev\" or \"slipway dev\" in the plugin's repository to see it at work.")
		os.Exit(1)
	}
	logger := NewLogger(os.Stderr, p.LogLevel)
	slog.SetDefault(logger)
	services := p.services()
	if len(services) == 0 {
		logger.Error("the plugin has no handlers: there is nothing to serve")
		os.Exit(1)
	}
	go exitWithParent(os.Getppid())
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         services.PluginSet(),
		Logger:          hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off}),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(o, p.serverOptions(logger)...)...)
		},
	})
	if p.Close != nil {
		if err := p.Close(); err != nil {
			logger.Error("the plugin did not close cleanly", "error", err)
		}
	}
}

// NewServer returns a gRPC server with the plugin's services, as Serve runs it,
// but without go-plugin around it. It is for test kits; sdk/sdktest is one. A nil
// logger discards.
func (p Plugin) NewServer(logger *slog.Logger) *grpc.Server {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	g := grpc.NewServer(p.serverOptions(logger)...)
	for _, register := range p.services() {
		register(g)
	}
	return g
}

func (p Plugin) services() wire.Services {
	s := wire.Services{}
	for name, register := range p.Services {
		s[name] = register
	}
	if p.QueryData != nil {
		s[wire.SetData] = func(g grpc.ServiceRegistrar) { pluginv2.RegisterDataServer(g, dataServer{handle: p.QueryData}) }
	}
	if p.CheckHealth != nil || p.CollectMetrics != nil {
		s[wire.SetDiagnostics] = func(g grpc.ServiceRegistrar) {
			pluginv2.RegisterDiagnosticsServer(g, diagnosticsServer{health: p.CheckHealth, metrics: p.CollectMetrics})
		}
	}
	if p.Resources != nil {
		s[wire.SetResource] = func(g grpc.ServiceRegistrar) {
			pluginv2.RegisterResourceServer(g, resourceServer{handler: p.Resources})
		}
	}
	if p.SubscribeStream != nil || p.RunStream != nil || p.PublishStream != nil {
		s[wire.SetStream] = func(g grpc.ServiceRegistrar) {
			pluginv2.RegisterStreamServer(g, streamServer{subscribe: p.SubscribeStream, run: p.RunStream, publish: p.PublishStream})
		}
	}
	return s
}

// serverOptions are the gRPC options a plugin is served with: large messages,
// calls that log to logger, and a panic in a handler that costs one call and not the
// process. It is caught on both sides of the author's options, so that what counts
// calls counts it too, and may panic itself.
func (p Plugin) serverOptions(logger *slog.Logger) []grpc.ServerOption {
	options := []grpc.ServerOption{
		// Goroutines that stay keep the stack that a call has grown; without them each
		// call grows its own, a tenth of its time.
		grpc.NumStreamWorkers(uint32(2 * runtime.GOMAXPROCS(0))),
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			return recoverUnary(withCall(ctx, logger), req, info, next)
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
			return recoverStream(srv, serverStream{ServerStream: ss, ctx: withCall(ss.Context(), logger)}, info, next)
		}),
	}
	options = append(options, p.ServerOptions...)
	return append(options, grpc.ChainUnaryInterceptor(recoverUnary), grpc.ChainStreamInterceptor(recoverStream))
}

func recoverUnary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (_ any, err error) {
	defer recovered(ctx, info.FullMethod, &err)
	return next(ctx, req)
}

func recoverStream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
	defer recovered(ss.Context(), info.FullMethod, &err)
	return next(srv, ss)
}

// serverStream is a stream with a context of ours.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context // what Context returns
}

// Context returns the context of the call.
func (s serverStream) Context() context.Context { return s.ctx }

func recovered(ctx context.Context, method string, err *error) {
	r := recover()
	switch {
	case r == nil:
	case r == http.ErrAbortHandler: // it has said why
		*err = status.Error(codes.Aborted, "the plugin broke off its answer")
	default:
		logOf(ctx).ErrorContext(ctx, "a handler panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = errorWithInfo(codes.Internal, "the plugin failed on this request: its log says why", &errdetails.ErrorInfo{
			Domain: wire.Domain, Reason: wire.ReasonPanic,
			Metadata: map[string]string{wire.InfoSource: string(SourcePlugin), wire.InfoStatus: strconv.Itoa(http.StatusInternalServerError)},
		})
	}
}

// errNoHandler is the answer to a call that the plugin has no handler for, though
// its service is there for others.
func errNoHandler(call string) error {
	return status.Error(codes.Unimplemented, "the plugin has no handler for "+call)
}

// isCanceled says whether the call failed because the caller gave up, which is no
// fault of anybody.
func isCanceled(ctx context.Context, err error) bool {
	return errors.Is(ctx.Err(), context.Canceled) && (errors.Is(err, context.Canceled) || status.Code(err) == codes.Canceled)
}
