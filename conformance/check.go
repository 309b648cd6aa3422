package conformance

import (
	"context"

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

// each runs a check for one call after another. A failure ends it; otherwise the
// first skip counts.
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

// firstNotPassed returns the first verdict that is not Passed, if there is one.
func firstNotPassed(verdicts []Verdict) Verdict {
	for _, v := range verdicts {
		if v.Outcome != Passed {
			return v
		}
	}
	return passed()
}

// Checks lists the checks in the order in which they run.
func Checks() []Check {
	query, resource := []call{callQuery}, []call{callResource}
	const anonymous = "a host without a signed-in user may send no context"
	return []Check{
		// lifecycle.go
		{ID: "start-mtls", Why: "hosts start plugins with certificates and their own environment", ownProcess: true, run: startMTLS},
		{ID: "start-bare", Why: "a host may set only the variables that the protocol requires", ownProcess: true, run: startBare},
		{ID: "start-health-service", Why: "hosts use it to see whether the plugin is alive", run: startHealthService},
		// instance.go
		{ID: "instance", Why: "most other checks need a plugin that works with its settings", calls: instanceCalls(), anyInstance: true, run: makesInstance},
		// robust.go
		{ID: "unknown-service", Why: "hosts learn what a plugin supports by calling it", run: unknownService},
		{ID: "unknown-method", Why: "a newer host calls methods that this plugin does not know", run: unknownMethod},
		{ID: "unknown-fields", Why: "a newer host sends fields that this plugin does not know", calls: []call{callQuery, callHealth}, run: each(unknownFields)},
		{ID: "nil-context-query", Why: anonymous, calls: query, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-health", Why: anonymous, calls: []call{callHealth}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-metrics", Why: "hosts collect metrics without a user", calls: []call{callMetrics}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-resource", Why: anonymous, calls: resource, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-subscribe", Why: anonymous, calls: []call{callSubscribe}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-run", Why: "hosts run streams without a user", calls: []call{callRun}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "nil-context-publish", Why: anonymous, calls: []call{callPublish}, anyInstance: true, isUnusual: true, run: each(nilContext)},
		{ID: "bare-context", Why: "alerts and provisioning have no user, and new instances have no settings", calls: calls(), run: each(bareContext)},
		{ID: "settings-change", Why: "settings change between calls, and organizations call concurrently", calls: []call{callQuery, callHealth, callResource}, run: settingsChange},
		// query.go
		{ID: "query-responds-to-each", Why: "a query without a response leaves its panel empty, without an error", calls: query, run: queryRespondsToEach},
		{ID: "query-frames", Why: "a frame that is unreadable or has the wrong refId is lost", calls: query, run: queryFrames},
		{ID: "query-errors", Why: "retries and alerts depend on the status and the source of an error", calls: query, run: queryErrors},
		{ID: "query-none", Why: "a dashboard may hide all its queries", calls: query, run: queryNone},
		{ID: "query-many", Why: "an alert rule or an export sends many queries at once", calls: query, run: queryMany},
		{ID: "query-unknown-type", Why: "dashboards outlive the plugin version they were made with", calls: query, run: oddQuery("of the unknown type "+unknownName, func(q *pluginv2.DataQuery) { q.QueryType = unknownName })},
		{ID: "query-nil-time-range", Why: "the query of an annotation or a variable may have no time range", calls: query, isUnusual: true, run: oddQuery("without a timeRange", func(q *pluginv2.DataQuery) { q.TimeRange = nil })},
		{ID: "query-nil-json", Why: "a query that was never edited has no JSON", calls: query, run: oddQuery("without json", func(q *pluginv2.DataQuery) { q.Json = nil })},
		{ID: "query-no-json", Why: "users edit dashboards by hand", calls: query, run: queryNoJSON},
		// health.go
		{ID: "health-response", Why: "administrators read it after \"Save & test\"", calls: []call{callHealth}, run: healthResponse},
		{ID: "metrics-text", Why: "hosts discard all metrics if one line is invalid", calls: []call{callMetrics}, run: metricsText},
		// resource.go
		{ID: "resource-unknown-path", Why: "a frontend can show an HTTP status, but not a failed call", calls: resource, run: resourceUnknownPath},
		{ID: "resource-methods", Why: "browsers and scripts use every HTTP method", calls: resource, run: resourceMethods},
		{ID: "resource-odd-paths", Why: "any signed-in user can send any path", calls: resource, run: resourceOddPaths},
		// stream.go
		{ID: "stream-subscribe-unknown", Why: "a user who mistypes a channel must get an error", calls: []call{callSubscribe, callPublish}, run: each(streamUnknownChannel)},
		{ID: "stream-run-refused", Why: "hosts restart a failed stream repeatedly", calls: []call{callRun}, run: streamRunRefused},
		// robust.go
		{ID: "odd-headers", Why: "headers from browsers and proxies arrive unchanged", calls: []call{callQuery, callHealth, callResource, callSubscribe, callRun, callPublish}, run: each(oddHeaders)},
		{ID: "huge-request", Why: "large queries and uploads are legitimate, and the gRPC size error is obscure", calls: []call{callQuery, callResource}, anyInstance: true, isUnusual: true, run: each(hugeRequest)},
		// load.go
		{ID: "parallel-calls", Why: "a dashboard sends all its queries at once", calls: []call{callQuery, callHealth, callResource, callSubscribe}, run: parallelCalls},
		{ID: "canceled-calls", Why: "users leave dashboards while they load", calls: calls(), run: canceledCalls},
		{ID: "canceled-leaves-nothing", Why: "what canceled calls leave behind accumulates until the plugin fails", calls: calls(), run: canceledLeavesNothing},
		// lifecycle.go
		{ID: "stop-in-time", Why: "hosts kill a plugin that takes longer, and its work is lost", ownProcess: true, run: stopInTime},
		{ID: "stop-busy", Why: "dashboards are usually open when a host stops", ownProcess: true, run: stopBusy},
		{ID: "stop-host-killed", Why: "a plugin that outlives its host keeps ports and memory", ownProcess: true, isUnusual: true, run: stopHostKilled},
		// output.go
		{ID: "stdout-silent", Why: "standard output is reserved for the protocol; a host that does not read it blocks the plugin", run: stdoutSilent},
		{ID: "logs-readable", Why: "hosts read level and message from the JSON of a log line", isUnusual: true, run: logsReadable},
	}
}
