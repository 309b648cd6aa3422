package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/slipway-dev/slipway/internal/text"
)

func healthResponse(ctx context.Context, s *subject, _ []call) Verdict {
	const sent = "CheckHealth"
	out, err := s.raw.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: s.context(1, 1)})
	if err != nil {
		return s.harmless(ctx, sent, errorReply(err))
	}
	if _, known := pluginv2.CheckHealthResponse_HealthStatus_name[int32(out.GetStatus())]; !known {
		return failed(sent, fmt.Sprintf("unknown status %d", out.GetStatus()), "return OK, ERROR or UNKNOWN")
	}
	if out.GetStatus() != pluginv2.CheckHealthResponse_OK && strings.TrimSpace(out.GetMessage()) == "" {
		return failed(sent, fmt.Sprintf("%s without a message", out.GetStatus()), "describe in the message what is wrong and what to do")
	}
	var details map[string]any
	if got := out.GetJsonDetails(); len(got) > 0 && json.Unmarshal(got, &details) != nil {
		return failed(sent, fmt.Sprintf("details that are not a JSON object: %q", text.Shorten(string(got), 120)),
			"return a JSON object, or no details")
	}
	return s.harmless(ctx, sent, newReply(nil, out.GetMessage(), out.GetMessage()))
}

func metricsText(ctx context.Context, s *subject, _ []call) Verdict {
	const sent = "CollectMetrics"
	out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: s.context(1, 1)})
	if err != nil {
		return s.harmless(ctx, sent, errorReply(err))
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	if _, err := parser.TextToMetricFamilies(bytes.NewReader(out.GetMetrics().GetPrometheus())); err != nil {
		return failed(sent, err.Error(), "return metrics in the text format of Prometheus: a name, labels in braces and a number on each line")
	}
	return passed()
}

func (s *subject) goroutines(ctx context.Context) (count int, isKnown bool) {
	out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: s.context(1, 1)})
	if err != nil {
		return 0, false
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, _ := parser.TextToMetricFamilies(bytes.NewReader(out.GetMetrics().GetPrometheus()))
	for _, m := range families["go_goroutines"].GetMetric() {
		return int(m.GetGauge().GetValue() + m.GetUntyped().GetValue()), true
	}
	return 0, false
}
