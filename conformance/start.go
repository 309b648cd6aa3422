package conformance

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func startMTLS(ctx context.Context, s *subject, _ []call) Verdict {
	if err := s.start(ctx); err != nil {
		return failed("start of the plugin with certificates (AutoMTLS)", err.Error(), helpStart)
	}
	return passed()
}

func startBare(ctx context.Context, s *subject, _ []call) Verdict {
	const sent = "start of the plugin with only the environment of the protocol"
	b, err := runBare(ctx, s.executable, false)
	if errors.Is(err, errors.ErrUnsupported) {
		return skipped(err.Error())
	}
	if err != nil {
		return failed(sent, err.Error(), helpStart+"; other environment variables may be missing")
	}
	defer b.end()
	if _, err := serving(ctx, b.conn); err != nil {
		return failed(sent+", and a call without certificates", err.Error(), "serve without certificates if the host provides none, that is, if PLUGIN_CLIENT_CERT is not set")
	}
	return passed()
}

// serving returns the state that gRPC's health service reports for the name under
// which go-plugin registers a plugin.
func serving(ctx context.Context, conn grpc.ClientConnInterface) (healthpb.HealthCheckResponse_ServingStatus, error) {
	out, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: "plugin"})
	if status.Code(err) == codes.NotFound || status.Code(err) == codes.Unimplemented {
		return healthpb.HealthCheckResponse_SERVICE_UNKNOWN, nil // the process responds all the same
	}
	return out.GetStatus(), err
}

func startHealthService(ctx context.Context, s *subject, _ []call) Verdict {
	const sent = `Check of grpc.health.v1.Health for the service "plugin"`
	state, err := serving(ctx, s.conn)
	if err != nil {
		return failed(sent, err.Error(), "serve with go-plugin, which registers the service")
	}
	if state != healthpb.HealthCheckResponse_SERVING {
		return failed(sent, state.String(), `serve with go-plugin, or register gRPC's health service and set "plugin" to SERVING`)
	}
	return passed()
}
