package conformance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/slipway-dev/slipway/internal/wire"
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
		return failed(sent+", and a call without certificates", err.Error(),
			"serve without certificates if the host provides none, that is, if PLUGIN_CLIENT_CERT is not set")
	}
	return passed()
}

// serving returns the state that gRPC's health service reports for the name under
// which go-plugin registers a plugin.
func serving(ctx context.Context, conn grpc.ClientConnInterface) (healthpb.HealthCheckResponse_ServingStatus, error) {
	out, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: wire.HealthService})
	if status.Code(err) == codes.NotFound || status.Code(err) == codes.Unimplemented {
		return healthpb.HealthCheckResponse_SERVICE_UNKNOWN, nil // the process responds nevertheless
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

const (
	stopWithin     = 2 * time.Second // as long as go-plugin waits
	orphanWithin   = 5 * time.Second // after the host has ended
	childrenWithin = 2 * time.Second // after the plugin has ended
)

const sentStop = "request to stop (Shutdown of plugin.GRPCController)"

func stopInTime(ctx context.Context, s *subject, _ []call) Verdict {
	return s.stop(ctx, sentStop, func(*bare) {})
}

func stopBusy(ctx context.Context, s *subject, _ []call) Verdict {
	return s.stop(ctx, sentStop+" during a stream and a query", func(b *bare) {
		ctx, cancel := context.WithTimeout(ctx, stopWithin)
		stream, err := pluginv2.NewStreamClient(b.conn).RunStream(ctx,
			&pluginv2.RunStreamRequest{PluginContext: s.context(1, 1), Path: unknownName})
		go func() {
			defer cancel()
			_, _ = pluginv2.NewDataClient(b.conn).QueryData(ctx, s.queries(1, nil))
			for err == nil {
				_, err = stream.Recv()
			}
		}()
		time.Sleep(50 * time.Millisecond)
	})
}

// stop calls before, asks the plugin to stop and waits until its process ends.
func (s *subject) stop(ctx context.Context, sent string, before func(*bare)) Verdict {
	b, err := s.responding(ctx, false)
	if err != nil {
		return skipped(err.Error())
	}
	defer b.end()
	before(b)
	soon, cancel := context.WithTimeout(ctx, stopWithin)
	defer cancel()
	stopped := time.After(stopWithin)
	// The response may be lost, since the server stops.
	_ = b.conn.Invoke(soon, "/plugin.GRPCController/Shutdown", &emptypb.Empty{}, &emptypb.Empty{})
	select {
	case <-b.exited:
	case <-stopped:
		return failed(sent, fmt.Sprintf("the process was still running after %s", stopWithin),
			"return from main within 2 s after the server stops, and start nothing that outlives main")
	}
	if b.err != nil {
		return failed(sent, fmt.Sprintf("the process ended with %v", b.err),
			"exit with status 0 when the host requests it: any other status looks like a crash")
	}
	select {
	case <-b.gone:
		return passed()
	case <-time.After(childrenWithin):
		return failed(sent, "the process ended, but processes that it had started were still running",
			"before main returns, end the processes that the plugin started")
	}
}

// responding starts a bare process and calls it once.
func (s *subject) responding(ctx context.Context, withHost bool) (*bare, error) {
	b, err := runBare(ctx, s.executable, withHost)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("the plugin does not start without certificates: %w", err)
	}
	if _, err := serving(ctx, b.conn); err != nil {
		b.end()
		return nil, fmt.Errorf("the plugin does not respond without certificates: %w", err)
	}
	return b, nil
}

func stopHostKilled(ctx context.Context, s *subject, _ []call) Verdict {
	b, err := s.responding(ctx, true)
	if err != nil {
		return skipped(err.Error())
	}
	defer b.end()
	b.killHost()
	select {
	case <-b.gone:
		return passed()
	case <-time.After(orphanWithin):
		return failed("nothing: its host was killed and its connections were closed",
			fmt.Sprintf("the process was still running %s later", orphanWithin),
			"exit when the parent process is no longer the one that started the plugin, as sdk.Serve does")
	}
}
