package conformance

import "context"

// Check is one thing that every plugin must do.
type Check struct {
	ID  string
	Why string // it matters to the plugin's users

	ownProcess bool // it starts what it needs itself
	run        func(ctx context.Context, s *subject) Verdict
}

// Outcome is what came of a check.
type Outcome string

// The outcomes. What did not run is never Passed.
const (
	Passed  Outcome = "passed"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped" // there was nothing to check; Reason says why
)

// Verdict is the outcome of a check with what led to it.
type Verdict struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"` // why it was skipped
	Sent    string  `json:"sent,omitempty"`   // what was sent, of a failed check
	Got     string  `json:"got,omitempty"`    // what came back
	Help    string  `json:"help,omitempty"`   // what to do
}

func passed() Verdict { return Verdict{Outcome: Passed} }

func skipped(reason string) Verdict { return Verdict{Outcome: Skipped, Reason: reason} }

func failed(sent, got, help string) Verdict {
	return Verdict{Outcome: Failed, Sent: sent, Got: got, Help: help}
}

// Checks lists the checks in the order in which they run.
func Checks() []Check {
	return []Check{
		// start.go
		{ID: "start-mtls", Why: "a host starts plugins with certificates and an environment of its own", ownProcess: true, run: startMTLS},
		{ID: "start-bare", Why: "a host may give no more than the protocol asks for", ownProcess: true, run: startBare},
		{ID: "start-health-service", Why: "a host asks it whether the plugin is there", run: startHealthService},
		// unknown.go
		{ID: "unknown-service", Why: "hosts learn what a plugin can do by asking", run: unknownService},
		{ID: "unknown-method", Why: "a newer host calls what this plugin does not know yet", run: unknownMethod},
		{ID: "unknown-fields", Why: "a newer host says more than this plugin knows", run: unknownFields},
		// context.go
		{ID: "nil-context-query", Why: "a host without anybody signed in may send no context", run: nilContext(callQuery)},
		{ID: "nil-context-health", Why: "a host without anybody signed in may send no context", run: nilContext(callHealth)},
		{ID: "nil-context-metrics", Why: "metrics are asked for on behalf of nobody", run: nilContext(callMetrics)},
		{ID: "nil-context-resource", Why: "a host without anybody signed in may send no context", run: nilContext(callResource)},
		{ID: "nil-context-subscribe", Why: "a host without anybody signed in may send no context", run: nilContext(callSubscribe)},
		{ID: "nil-context-run", Why: "a stream runs on behalf of nobody", run: nilContext(callRun)},
		{ID: "nil-context-publish", Why: "a host without anybody signed in may send no context", run: nilContext(callPublish)},
		{ID: "bare-context", Why: "alerts and provisioning have no user, new instances no settings", run: bareContext},
		{ID: "settings-change", Why: "settings change between calls, and organisations do not wait for each other", run: settingsChange},
		// query.go
		{ID: "query-answers-each", Why: "a query without an answer is a panel that shows nothing and says nothing", run: queryAnswersEach},
		{ID: "query-frames", Why: "a frame that cannot be read, or names another query, is lost", run: queryFrames},
		{ID: "query-errors", Why: "status and source decide about retries and about who is called at night", run: queryErrors},
		{ID: "query-none", Why: "a dashboard may have hidden all its queries", run: queryNone},
		{ID: "query-many", Why: "an alert rule or an export asks a lot at once", run: queryMany},
		{ID: "query-unknown-type", Why: "dashboards outlive the plugin they were made with", run: queryUnknownType},
		{ID: "query-nil-time-range", Why: "a query of an annotation or a variable may have none", run: queryNilTimeRange},
		{ID: "query-nil-json", Why: "a query that nobody has filled in has no JSON", run: queryNilJSON},
		{ID: "query-no-json", Why: "dashboards are edited by hand", run: queryNoJSON},
		// health.go
		{ID: "health-answer", Why: "it is what an administrator reads after \"Save & test\"", run: healthAnswer},
		{ID: "metrics-text", Why: "one line that cannot be read loses all metrics", run: metricsText},
		// resource.go
		{ID: "resource-unknown-path", Why: "a frontend can show a status, but not a broken call", run: resourceUnknownPath},
		{ID: "resource-methods", Why: "browsers and scripts use all methods", run: resourceMethods},
		{ID: "resource-odd-paths", Why: "anybody who is signed in can send any path", run: resourceOddPaths},
		// stream.go
		{ID: "stream-subscribe-unknown", Why: "a user who mistypes a channel wants to know", run: streamSubscribeUnknown},
		{ID: "stream-run-refused", Why: "a host runs a stream that failed again and again", run: streamRunRefused},
		// hostile.go
		{ID: "odd-headers", Why: "headers come from browsers and proxies as they are", run: oddHeaders},
		{ID: "huge-request", Why: "a large query or upload is refused with words that no user understands", run: hugeRequest},
		// load.go
		{ID: "parallel-calls", Why: "a dashboard sends all its queries at once", run: parallelCalls},
		{ID: "cancelled-calls", Why: "users leave dashboards while they load", run: cancelledCalls},
		{ID: "cancelled-leaves-nothing", Why: "what each cancelled call leaves behind takes the plugin down in a week", run: cancelledLeavesNothing},
		// stop.go
		{ID: "stop-in-time", Why: "a host kills a plugin that takes longer, and its work with it", ownProcess: true, run: stopInTime},
		{ID: "stop-busy", Why: "there is always a dashboard open when a host stops", ownProcess: true, run: stopBusy},
		{ID: "stop-host-killed", Why: "a plugin that outlives its host holds ports and memory until the machine is started again", ownProcess: true, run: stopHostKilled},
		// printed.go
		{ID: "stdout-silent", Why: "standard output belongs to the protocol: a host may not read it, and block the plugin", run: stdoutSilent},
		{ID: "logs-readable", Why: "a host takes level and message of a log line from its JSON", run: logsReadable},
	}
}
