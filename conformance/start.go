package conformance

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

func startMTLS(ctx context.Context, s *subject) Verdict {
	p, err := s.launch(ctx)
	if err != nil {
		s.broken = err.Error()
		return failed("the start of the plugin with certificates (AutoMTLS)", err.Error(), mendStart)
	}
	s.share(p)
	return passed()
}

func startBare(ctx context.Context, s *subject) Verdict {
	b, reason, err := runBare(ctx, s.program, false)
	if reason != "" {
		return skipped(reason)
	}
	const sent = "the start of the plugin with no environment but that of the protocol"
	if err != nil {
		return failed(sent, err.Error(), mendStart+"; what main reads from the environment may not be there")
	}
	defer b.end()
	if _, err := serving(ctx, b.conn); err != nil {
		return failed(sent+", and a call without certificates", err.Error(), "serve without certificates where the host names none: PLUGIN_CLIENT_CERT is not set")
	}
	return passed()
}

// serving asks gRPC's health service for the name that go-plugin serves it under.
func serving(ctx context.Context, conn grpc.ClientConnInterface) (healthpb.HealthCheckResponse_ServingStatus, error) {
	out, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: "plugin"})
	if status.Code(err) == codes.NotFound || status.Code(err) == codes.Unimplemented {
		return healthpb.HealthCheckResponse_SERVICE_UNKNOWN, nil // it answers, if not well
	}
	return out.GetStatus(), err
}

func startHealthService(ctx context.Context, s *subject) Verdict {
	is, err := serving(ctx, s.conn)
	const sent = "Check of grpc.health.v1.Health for the service \"plugin\""
	if err != nil {
		return failed(sent, err.Error(), "serve with go-plugin, which registers the service")
	}
	if is != healthpb.HealthCheckResponse_SERVING {
		return failed(sent, fmt.Sprint(is), "serve with go-plugin, or register gRPC's health service and set \"plugin\" to SERVING")
	}
	return passed()
}
