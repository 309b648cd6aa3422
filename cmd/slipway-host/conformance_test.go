package main

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/junit"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestConformanceUsage(t *testing.T) {
	t.Parallel()
	empty, panel := t.TempDir(), t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(panel, "plugin.json"), []byte(`{"id":"acme-x-panel","type":"panel"}`), 0o644))
	list := filepath.Join(t.TempDir(), "list.json")
	testkit.OK(t, os.WriteFile(list, []byte(`["hunter2"]`), 0o600))
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--format=xml", empty}, verbs.ExitUsage, `unknown format "xml"`},
		{[]string{"--timeout=0s", empty}, verbs.ExitUsage, "--timeout=0s"},
		{[]string{"--checks=exising", empty}, verbs.ExitUsage, `--checks: unknown value "exising"; did you mean "existing"?`},
		{[]string{"--secrets=" + filepath.Join(empty, "none"), empty}, verbs.ExitUsage, "--secrets: open "},
		{[]string{"--secrets=" + list, empty}, verbs.ExitUsage, `must be a JSON object of strings, such as {"apiKey": "..."}`},
		{[]string{"--query={", empty}, verbs.ExitUsage, "--query must be a JSON object: unexpected end"},
		{[]string{"--settings=[1]", empty}, verbs.ExitUsage, "--settings must be a JSON object: found an array"},
		{[]string{filepath.Join(empty, "none")}, verbs.ExitUsage, "does not exist"},
		{[]string{empty}, verbs.ExitBroken, "build the plugin first"},
		{[]string{panel}, verbs.ExitOK, ""},
	} {
		_, stderr, code := slipway(t, append([]string{"conformance"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: status %d, want %d; stderr is %q, want a string containing %q", c.args, code, c.code, stderr, c.want)
		}
		if strings.Contains(stderr, "hunter2") {
			t.Errorf("%v: stderr has a secret: %q", c.args, stderr)
		}
	}
}

// sampleReport has a result of each outcome, and several with the same cause.
func sampleReport() conformance.Report {
	reason := conformance.Verdict{Outcome: conformance.Skipped, Reason: "the plugin\nhas no streams"}
	panics := conformance.Verdict{Outcome: conformance.Warned, Sent: "no context", Got: "a panic", Help: "fix it"}
	return conformance.Report{
		PluginID: "acme-x", Elapsed: 1500 * time.Millisecond, Standard: conformance.Existing,
		SDK: &bundle.SDK{Module: bundle.GrafanaModule, Version: "v0.164.0"},
		Results: []conformance.Result{
			{ID: "query-none", Verdict: conformance.Verdict{Outcome: conformance.Passed}},
			{ID: "query-many", Verdict: reason},
			{ID: "nil-context-query", Why: "anonymous", Verdict: panics},
			{ID: "query-errors", Why: "it matters", Verdict: conformance.Verdict{Outcome: conformance.Failed, Sent: "this", Got: "that\x1b[31m", Help: "fix it"}},
			{ID: "nil-context-health", Why: "anonymous", Verdict: panics, SameAs: "nil-context-query"},
			{ID: "query-frames", Verdict: reason, SameAs: "query-many"},
			{ID: "stop-busy", Verdict: reason, SameAs: "query-many"},
			{ID: "logs-readable", Why: "they are searched", Verdict: conformance.Verdict{Outcome: conformance.Warned, Sent: "a query", Got: "text", Help: "log JSON"}},
		},
	}
}

func TestConformanceText(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report := sampleReport()
	printResults(&out, verbs.Command, report, true)
	const want = `  ok    query-none                0.0s
  skip  3 checks: the plugin has no streams
          checks: query-many, query-frames, stop-busy
  warn  logs-readable             0.0s  they are searched
          sent: a query
          got: text
          help: log JSON
  warn  2 checks that plugins on Grafana's SDK do not pass, whatever their authors do; --checks=strict explains them
          checks: nil-context-query, nil-context-health
  FAIL  query-errors              0.0s  it matters
          sent: this
          got: that` + "\uFFFD" + `[31m
          help: fix it
8 checks of acme-x (Grafana's SDK v0.164.0, existing): 1 passed, 1 failed, 3 warnings, 3 skipped in 1.5s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	out.Reset()
	printResults(&out, verbs.Mage, report, false)
	short := want[strings.Index(want, "  warn"):]
	short = strings.NewReplacer("--checks", "-checks", "3 skipped", "3 skipped (-verbose says why)").Replace(short)
	if diff := cmp.Diff(short, out.String()); diff != "" {
		t.Errorf("output without -verbose (-want +got):\n%s", diff)
	}
}

// TestConformanceJSON checks the shape that doc/ci.md documents.
func TestConformanceJSON(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report := sampleReport()
	report.Results = report.Results[3:5]
	testkit.OK(t, writeReports(&out, "json", []conformance.Report{report}))
	const want = `{
  "plugins": [
    {
      "pluginId": "acme-x",
      "sdk": {
        "module": "github.com/grafana/grafana-plugin-sdk-go",
        "version": "v0.164.0"
      },
      "checks": "existing",
      "results": [
        {
          "id": "query-errors",
          "why": "it matters",
          "outcome": "failed",
          "sent": "this",
          "got": "that\u001b[31m",
          "help": "fix it",
          "elapsedNs": 0
        },
        {
          "id": "nil-context-health",
          "why": "anonymous",
          "outcome": "warning",
          "sent": "no context",
          "got": "a panic",
          "help": "fix it",
          "sameAs": "nil-context-query",
          "elapsedNs": 0
        }
      ],
      "elapsedNs": 1500000000
    }
  ],
  "version": 1
}
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestConformanceJUnit(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	testkit.OK(t, writeReports(&out, "junit", []conformance.Report{sampleReport()}))
	var got junit.Suites
	testkit.OK(t, xml.Unmarshal([]byte(out.String()), &got))
	if want := (junit.Counts{Tests: 8, Failures: 1}); got.Counts != want || len(got.Suites) != 1 || got.Suites[0].Counts != want ||
		got.Suites[0].Skipped != 3 {
		t.Errorf("counts are %+v, want %+v:\n%s", got.Counts, want, out.String())
	}
	if c := got.Suites[0].Cases[4]; c.Failure != nil || !strings.HasPrefix(c.Output, "warning: same cause as nil-context-query\nanonymous\n") {
		t.Errorf("a warning is %+v", c)
	}
}

func TestReadPluginSecrets(t *testing.T) {
	t.Parallel()
	want := map[string]string{"apiKey": "hunter2"}
	const text = `{"apiKey":"hunter2"}`
	file := filepath.Join(t.TempDir(), "secrets.json")
	testkit.OK(t, os.WriteFile(file, []byte(text), 0o600))
	for _, c := range []struct{ file, stdin, env string }{{file, "", "{}"}, {"-", text, ""}, {"", "", text}} {
		got, err := readPluginSecrets(verbs.Command, c.file, strings.NewReader(c.stdin), c.env)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%+v: %v %s", c, err, diff)
		}
	}
	if got, err := readPluginSecrets(verbs.Command, "", nil, ""); got != nil || err != nil {
		t.Errorf("without secrets: %v, %v", got, err)
	}
	if _, err := readPluginSecrets(verbs.Command, "-", strings.NewReader(strings.Repeat(" ", maxSecrets+1)), ""); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a huge file: %v", err)
	}
}
