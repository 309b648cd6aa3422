package sdk

import (
	"log/slog"
	"maps"
	"net/http"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"

	"github.com/slipway-dev/slipway/internal/wire"
)

// Plugin holds the handlers of a backend. Each is optional: the host learns which
// services a plugin has, and calls without a handler fail as unsupported. Handlers are
// called concurrently.
type Plugin struct {
	// QueryData handles the queries of panels, alerts and Explore.
	QueryData QueryDataFunc
	// CheckHealth reports whether the plugin works.
	CheckHealth CheckHealthFunc
	// Resources serves the plugin's own HTTP endpoints. The path of a request is
	// relative to the plugin and starts with a slash.
	Resources http.Handler
	// SubscribeStream, RunStream and PublishStream serve the plugin's channels.
	SubscribeStream SubscribeStreamFunc
	RunStream       RunStreamFunc
	PublishStream   PublishStreamFunc
	// CollectMetrics returns the plugin's metrics; see package sdk/metrics.
	CollectMetrics CollectMetricsFunc
	// Services register further gRPC services, keyed by the name of their go-plugin
	// set. The packages sdk/renderer and sdk/secretsmanager set them.
	Services map[string]func(grpc.ServiceRegistrar)
	// ServerOptions are added to those of the gRPC server; see package sdk/tracing.
	ServerOptions []grpc.ServerOption
	// LogLevel is the lowest level that is logged. The zero value is slog.LevelInfo.
	LogLevel slog.Level
	// Close, if set, is called once, after the host has stopped the plugin and canceled
	// its calls. The host kills a plugin that has not exited within 2 s.
	Close func() error
}

// NewServer returns a gRPC server with the plugin's services, like the one that Serve runs. It
// is for use without go-plugin, as in package sdk/sdktest. A nil logger discards the log.
func (p Plugin) NewServer(logger *slog.Logger) *grpc.Server {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	return p.newServer(logger)
}

func (p Plugin) newServer(logger *slog.Logger, options ...grpc.ServerOption) *grpc.Server {
	g := grpc.NewServer(append(options, p.serverOptions(logger)...)...)
	for _, register := range p.services() {
		register(g)
	}
	return g
}

// services returns the functions that register the gRPC services of p, by go-plugin set.
func (p Plugin) services() map[string]func(grpc.ServiceRegistrar) {
	s := map[string]func(grpc.ServiceRegistrar){}
	maps.Copy(s, p.Services)
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
