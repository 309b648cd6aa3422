package sdk

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
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
	// LogLevel is the lowest level that is sent to the host; the zero value is
	// Info.
	LogLevel slog.Level
}

// Serve runs the plugin until the host stops it, then returns. It makes the
// default slog logger write to the host. Started by hand rather than by a host it
// says so on standard error and exits with status 1. Standard output belongs to
// the protocol: print nothing to it.
func Serve(p Plugin) {
	handshake := wire.Handshake()
	if os.Getenv(handshake.MagicCookieKey) != handshake.MagicCookieValue {
		fmt.Fprintln(os.Stderr, "This program is the backend of a plugin; a host starts it.")
		fmt.Fprintln(os.Stderr, "Run \"go tool mage dev\" in the plugin's repository to see it at work.")
		os.Exit(1)
	}
	logger := NewLogger(os.Stderr, p.LogLevel)
	slog.SetDefault(logger)
	go exitWithParent(os.Getppid())
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins:         p.services().PluginSet(),
		Logger:          hclog.New(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Off}),
		GRPCServer: func(o []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(o, ServerOptions(logger)...)...)
		},
	})
}

// Register adds the plugin's services to a gRPC server. It is for test kits;
// Serve does it for a program.
func (p Plugin) Register(g *grpc.Server) error {
	for _, set := range p.services().PluginSet() {
		if err := set.(goplugin.GRPCPlugin).GRPCServer(nil, g); err != nil {
			return err
		}
	}
	return nil
}

func (p Plugin) services() wire.Services {
	var s wire.Services
	if p.QueryData != nil {
		s.Data = dataServer{handle: p.QueryData}
	}
	if p.CheckHealth != nil {
		s.Diagnostics = diagnosticsServer{handle: p.CheckHealth}
	}
	if p.Resources != nil {
		s.Resource = resourceServer{handler: p.Resources}
	}
	return s
}

// ServerOptions are the gRPC options a plugin is served with: large messages,
// and a panic in a handler that costs one call and not the process.
func ServerOptions(logger *slog.Logger) []grpc.ServerOption {
	return []grpc.ServerOption{
		grpc.MaxRecvMsgSize(wire.MaxMessage),
		grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (_ any, err error) {
			defer recovered(logger, info.FullMethod, &err)
			return next(ctx, req)
		}),
		grpc.ChainStreamInterceptor(func(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) (err error) {
			defer recovered(logger, info.FullMethod, &err)
			return next(srv, ss)
		}),
	}
}

func recovered(logger *slog.Logger, method string, err *error) {
	if r := recover(); r != nil {
		logger.Error("a handler panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = status.Error(codes.Internal, "the plugin failed on this request: its log says why")
	}
}
