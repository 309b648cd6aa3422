package conformance

import (
	"context"
	_ "embed" // checks.txt
	"strings"

	"github.com/grafana/grafana-plugin-sdk-go/genproto/pluginv2"
)

// Check is one requirement on every plugin.
type Check struct {
	ID  string
	Why string // it matters to users of the plugin

	calls       []call // skip the check if the plugin supports none of them
	ownProcess  bool   // the check starts the processes it needs
	anyInstance bool   // the check does not need an instance; see instance.go
	isUnusual   bool   // no existing host does or needs this; see Existing
	run         runFunc
}

// runFunc runs a check. has are those of its calls that the plugin supports.
type runFunc func(ctx context.Context, s *subject, has []call) Verdict

// Outcome is the outcome of a check.
type Outcome string

// The outcomes. A check that did not run never counts as Passed.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Warned  Outcome = "warning" // failed, but no existing host relies on it
	Skipped Outcome = "skipped" // there was nothing to check; see Reason
)

// Verdict is the outcome of a check and its explanation.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"` // why the check was skipped
	Sent    string  `json:"sent,omitempty"`   // the call, if the check failed or warns
	Got     string  `json:"got,omitempty"`    // the response
	Help    string  `json:"help,omitempty"`   // what to do
}

func passed() Verdict { return Verdict{Outcome: Passed} }

func skipped(reason string) Verdict { return Verdict{Outcome: Skipped, Reason: reason} }

func failed(sent, got, help string) Verdict {
	return Verdict{Outcome: Failed, Sent: sent, Got: got, Help: help}
}

func warned(sent, got, help string) Verdict {
	return Verdict{Outcome: Warned, Sent: sent, Got: got, Help: help}
}

// each runs a check for one call after another until one fails. Otherwise the first skip counts.
func each(run func(context.Context, *subject, call) Verdict) runFunc {
	return func(ctx context.Context, s *subject, has []call) Verdict {
		verdict := passed()
		for _, c := range has {
			v := run(ctx, s, c)
			if v.Outcome == Failed {
				return v
			}
			if verdict.Outcome == Passed {
				verdict = v
			}
		}
		return verdict
	}
}

func firstNotPassed(verdicts []Verdict) Verdict {
	for _, v := range verdicts {
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

//go:embed checks.txt
var checksText string // why each check matters

// Checks lists the checks in the order in which they run.
func Checks() []Check {
	query, resource := []call{callQuery}, []call{callResource}
	list := []Check{
		// lifecycle.go
		{ID: "start-mtls", ownProcess: true, run: startMTLS},
		{ID: "start-bare", ownProcess: true, run: startBare},
		{ID: "start-health-service", run: startHealthService},
		// instance.go
		{ID: "instance", calls: instanceCalls(), anyInstance: true, run: makesInstance},
		// robust.go
		{ID: "unknown-service", run: unknownService},
		{ID: "unknown-method", run: unknownMethod},
		{ID: "unknown-fields", calls: []call{callQuery, callHealth}, run: each(unknownFields)},
		{ID: "nil-context-query", calls: query, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-health", calls: []call{callHealth}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-metrics", calls: []call{callMetrics}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-resource", calls: resource, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-subscribe", calls: []call{callSubscribe}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-run", calls: []call{callRun}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-publish", calls: []call{callPublish}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "bare-context", calls: calls(), run: each(bareContext)},
		{ID: "settings-change", calls: []call{callQuery, callHealth, callResource}, run: settingsChange},
		// query.go
		{ID: "query-responds-to-each", calls: query, run: queryRespondsToEach},
		{ID: "query-frames", calls: query, run: queryFrames},
		{ID: "query-errors", calls: query, run: queryErrors},
		{ID: "query-none", calls: query, run: queryNone},
		{ID: "query-many", calls: query, run: queryMany},
		{ID: "query-unknown-type", calls: query, run: oddQuery("of the unknown type "+unknownName,
			func(q *pluginv2.DataQuery) { q.QueryType = unknownName })},
		{ID: "query-nil-time-range", calls: query, isUnusual: true,
			run: oddQuery("without a timeRange", func(q *pluginv2.DataQuery) { q.TimeRange = nil })},
		{ID: "query-nil-json", calls: query, run: oddQuery("without json", func(q *pluginv2.DataQuery) { q.Json = nil })},
		{ID: "query-no-json", calls: query, run: queryNoJSON},
		// health.go
		{ID: "health-response", calls: []call{callHealth}, run: healthResponse},
		{ID: "metrics-text", calls: []call{callMetrics}, run: metricsText},
		// resource.go
		{ID: "resource-unknown-path", calls: resource, run: resourceUnknownPath},
		{ID: "resource-methods", calls: resource, run: resourceMethods},
		{ID: "resource-odd-paths", calls: resource, run: resourceOddPaths},
		// stream.go
		{ID: "stream-subscribe-unknown", calls: []call{callSubscribe, callPublish}, run: each(streamUnknownChannel)},
		{ID: "stream-run-refused", calls: []call{callRun}, run: streamRunRefused},
		// robust.go
		{ID: "odd-headers", calls: []call{callQuery, callHealth, callResource, callSubscribe, callRun, callPublish}, run: each(oddHeaders)},
		{ID: "huge-request", calls: []call{callQuery, callResource}, anyInstance: true, isUnusual: true, run: each(hugeRequest)},
		// load.go
		{ID: "parallel-calls", calls: []call{callQuery, callHealth, callResource, callSubscribe}, run: parallelCalls},
		{ID: "canceled-calls", calls: calls(), run: canceledCalls},
		{ID: "canceled-leaves-nothing", calls: calls(), run: canceledLeavesNothing},
		// lifecycle.go
		{ID: "stop-in-time", ownProcess: true, run: stopInTime},
		{ID: "stop-busy", ownProcess: true, run: stopBusy},
		{ID: "stop-host-killed", ownProcess: true, isUnusual: true, run: stopHostKilled},
		// output.go
		{ID: "stdout-silent", run: stdoutSilent},
		{ID: logsReadableID, isUnusual: true, run: logsReadable},
	}
	why := map[string]string{}
	for line := range strings.Lines(checksText) {
		id, reason, _ := strings.Cut(strings.TrimSpace(line), ": ")
		why[id] = reason
	}
	for i, c := range list {
		list[i].Why = why[c.ID]
	}
	return list
}
