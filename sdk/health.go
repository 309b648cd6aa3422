package sdk

import (
	"context"
	"encoding/json"
	"log/slog"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// CheckHealthFunc says whether the plugin can do its work for the context of the
// call. An error is the same as a result that is not OK: its message is shown.
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

type diagnosticsServer struct {
	pluginv2.UnimplementedDiagnosticsServer
	handle CheckHealthFunc
}

// CheckHealth adapts the call of the protocol to the handler.
func (s diagnosticsServer) CheckHealth(ctx context.Context, in *pluginv2.CheckHealthRequest) (*pluginv2.CheckHealthResponse, error) {
	req := &CheckHealthRequest{Context: contextFromWire(in.GetPluginContext()), Headers: in.GetHeaders()}
	result, err := s.handle(withContext(ctx, req.Context), req)
	if err != nil {
		_, source, message := describe(err)
		slog.ErrorContext(ctx, "the health check failed", "errorSource", source, "error", err)
		result = &CheckHealthResult{Status: HealthError, Message: message}
	}
	if result == nil {
		result = &CheckHealthResult{Status: HealthUnknown, Message: "the plugin gave no result"}
	}
	return healthToWire(result), nil
}
