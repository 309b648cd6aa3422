package sdk

import (
	"context"
	"encoding/json"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"

	"github.com/slipway-dev/slipway/internal/wire"
)

// CheckHealthFunc reports whether the plugin works in the context of the call. An error
// is equivalent to a result with HealthError: users see its message, and the details
// contain its status and source.
type CheckHealthFunc func(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error)

// CheckHealthRequest asks for the health of a plugin, usually of one data source.
type CheckHealthRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host; see ForwardedHeader
}

// HealthStatus is the outcome of a health check.
type HealthStatus string

// The outcomes of a health check.
const (
	HealthUnknown HealthStatus = "UNKNOWN"
	HealthOK      HealthStatus = "OK"
	HealthError   HealthStatus = "ERROR"
)

// CheckHealthResult is the outcome of a health check, with a message for users.
type CheckHealthResult struct {
	Status  HealthStatus
	Message string
	Details json.RawMessage // a JSON object, or nil
}

// CollectMetricsFunc returns the metrics of the plugin's process in the Prometheus text
// format. Package sdk/metrics has an implementation.
type CollectMetricsFunc func(ctx context.Context, req *CollectMetricsRequest) ([]byte, error)

// CollectMetricsRequest asks for metrics.
type CollectMetricsRequest struct {
	Context Context
}

type diagnosticsServer struct {
	pluginv2.UnimplementedDiagnosticsServer
	health  CheckHealthFunc
	metrics CollectMetricsFunc
}

// CheckHealth implements pluginv2.DiagnosticsServer.
func (s diagnosticsServer) CheckHealth(ctx context.Context, in *pluginv2.CheckHealthRequest) (*pluginv2.CheckHealthResponse, error) {
	if s.health == nil {
		return nil, errNoHandler("CheckHealth")
	}
	req := &CheckHealthRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders()}
	ctx = withContext(ctx, req.Context, req.Headers)
	result, err := s.health(ctx, req)
	switch {
	case err != nil && isCanceled(ctx, err):
		return nil, rpcError(ctx, err)
	case err != nil:
		result = failedHealth(ctx, err)
	case result == nil:
		result = &CheckHealthResult{Status: HealthUnknown, Message: "the plugin returned no result"}
	}
	return &pluginv2.CheckHealthResponse{
		Status:  pluginv2.CheckHealthResponse_HealthStatus(pluginv2.CheckHealthResponse_HealthStatus_value[string(result.Status)]),
		Message: wire.Text(result.Message), JsonDetails: result.Details,
	}, nil
}

func failedHealth(ctx context.Context, err error) *CheckHealthResult {
	code, source, message := describe(err)
	loggerOf(ctx).ErrorContext(ctx, "the health check failed", "status", code, "errorSource", source, "error", err)
	details, _ := json.Marshal(struct { // a string and a number always encode
		Source Source `json:"errorSource"`
		Status int    `json:"status"`
	}{source, code})
	return &CheckHealthResult{Status: HealthError, Message: message, Details: details}
}

// CollectMetrics implements pluginv2.DiagnosticsServer.
func (s diagnosticsServer) CollectMetrics(
	ctx context.Context, in *pluginv2.CollectMetricsRequest,
) (*pluginv2.CollectMetricsResponse, error) {
	if s.metrics == nil {
		return nil, errNoHandler("CollectMetrics")
	}
	req := &CollectMetricsRequest{Context: contextFromWire(in.GetPluginContext())}
	ctx = withContext(ctx, req.Context, nil)
	text, err := s.metrics(ctx, req)
	if err != nil {
		return nil, rpcError(ctx, err)
	}
	return &pluginv2.CollectMetricsResponse{Metrics: &pluginv2.CollectMetricsResponse_Payload{Prometheus: text}}, nil
}
