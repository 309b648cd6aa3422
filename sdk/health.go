package sdk

import (
	"context"
	"encoding/json"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// CheckHealthFunc says whether the plugin can do its work for the context of the
// call. An error is
// the same as a result that is not OK: its message is shown, and its status and
// source are in the details.
type CheckHealthFunc func(ctx context.Context, req *CheckHealthRequest) (*CheckHealthResult, error)

// CheckHealthRequest asks for the health in a context.
type CheckHealthRequest struct {
	Context Context
	Headers map[string]string // forwarded by the host
}

// HealthStatus is the outcome of a health check.
type HealthStatus string

// The outcomes.
const (
	HealthUnknown HealthStatus = "UNKNOWN"
	HealthOK      HealthStatus = "OK"
	HealthError   HealthStatus = "ERROR"
)

// CheckHealthResult is a health check's outcome with a message for users.
type CheckHealthResult struct {
	Status  HealthStatus
	Message string
	Details json.RawMessage // a JSON object, or nil
}

// CollectMetricsFunc returns the metrics of the plugin's process in the text format
// of Prometheus. sdk/metrics makes one of a registry.
type CollectMetricsFunc func(ctx context.Context, req *CollectMetricsRequest) ([]byte, error)

// CollectMetricsRequest asks for the metrics.
type CollectMetricsRequest struct {
	Context Context
}

type diagnosticsServer struct {
	pluginv2.UnimplementedDiagnosticsServer
	health  CheckHealthFunc
	metrics CollectMetricsFunc
}

// failure is in the details of a health check that failed with an error.
type failure struct {
	Source Source `json:"errorSource"`
	Status int    `json:"status"`
}

// CheckHealth adapts the call of the protocol to the handler.
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
		code, source, message := describe(err)
		logOf(ctx).ErrorContext(ctx, "the health check failed", "status", code, "errorSource", source, "error", err)
		details, _ := json.Marshal(failure{Source: source, Status: code}) // a string and a number always encode
		result = &CheckHealthResult{Status: HealthError, Message: message, Details: details}
	case result == nil:
		result = &CheckHealthResult{Status: HealthUnknown, Message: "the plugin gave no result"}
	}
	return healthToWire(result), nil
}

// CollectMetrics adapts the call of the protocol to the handler.
func (s diagnosticsServer) CollectMetrics(ctx context.Context, in *pluginv2.CollectMetricsRequest) (*pluginv2.CollectMetricsResponse, error) {
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
