package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

func healthAnswer(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callHealth) {
		return skipLack(callHealth)
	}
	const sent = "CheckHealth"
	out, err := s.raw.diagnostics.CheckHealth(ctx, &pluginv2.CheckHealthRequest{PluginContext: s.context(1, 1)})
	if err != nil {
		v, _ := s.harmless(ctx, sent, read(err, "", false))
		return v
	}
	if _, known := pluginv2.CheckHealthResponse_HealthStatus_name[int32(out.GetStatus())]; !known {
		return failed(sent, fmt.Sprintf("the status %d", out.GetStatus()), "answer OK, ERROR or UNKNOWN")
	}
	if out.GetStatus() != pluginv2.CheckHealthResponse_OK && strings.TrimSpace(out.GetMessage()) == "" {
		return failed(sent, fmt.Sprintf("%s without a message", out.GetStatus()), "say in the message what is wrong and what to do")
	}
	var details map[string]any
	if text := out.GetJsonDetails(); len(text) > 0 && json.Unmarshal(text, &details) != nil {
		return failed(sent, fmt.Sprintf("details that are no JSON object: %q", shorten(string(text), 120)), "leave the details out, or make them a JSON object")
	}
	v, _ := s.harmless(ctx, sent, read(nil, out.GetMessage(), true, out.GetMessage()))
	return v
}

func metricsText(ctx context.Context, s *subject) Verdict {
	if s.lacks(ctx, callMetrics) {
		return skipLack(callMetrics)
	}
	out, err := s.raw.diagnostics.CollectMetrics(ctx, &pluginv2.CollectMetricsRequest{PluginContext: s.context(1, 1)})
	if err != nil {
		v, _ := s.harmless(ctx, "CollectMetrics", read(err, "", false))
		return v
	}
	sample := regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*(\{.*\})? +[-+0-9.eEinNfFaA]+( +-?[0-9]+)?$`)
	for line := range strings.SplitSeq(string(out.GetMetrics().GetPrometheus()), "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !sample.MatchString(line) {
			return failed("CollectMetrics", fmt.Sprintf("the line %q", shorten(line, 120)), "write the text format of Prometheus: a name, labels in braces and a number on each line")
		}
	}
	return passed()
}
