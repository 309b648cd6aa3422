package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/conformance"
	"github.com/slipway-dev/slipway/internal/verbs"
)

func TestConformanceUsage(t *testing.T) {
	t.Parallel()
	empty, panel := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(panel, "plugin.json"), []byte(`{"id":"acme-x-panel","type":"panel"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--format=xml", empty}, verbs.ExitUsage, `unknown format "xml"`},
		{[]string{"--timeout=0s", empty}, verbs.ExitUsage, "--timeout=0s"},
		{[]string{"--query={", empty}, verbs.ExitUsage, "--query must be a JSON object"},
		{[]string{filepath.Join(empty, "none")}, verbs.ExitUsage, "does not exist"},
		{[]string{empty}, verbs.ExitBroken, "build the plugin first"},
		{[]string{panel}, verbs.ExitBroken, "no plugin with a backend"},
	} {
		var stderr bytes.Buffer
		code := run(t.Context(), append([]string{"conformance"}, c.args...), os.Stdout, &stderr)
		if code != c.code || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%v: status %d, want %d; stderr is %q, want a text containing %q", c.args, code, c.code, stderr.String(), c.want)
		}
	}
}

func TestConformanceText(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	report := conformance.Report{PluginID: "acme-x", Elapsed: 1500 * time.Millisecond, Results: []conformance.Result{
		{ID: "query-none", Verdict: conformance.Verdict{Outcome: conformance.Passed}},
		{ID: "query-many", Verdict: conformance.Verdict{Outcome: conformance.Skipped, Reason: "there\nare none"}},
		{ID: "query-errors", Why: "it matters", Verdict: conformance.Verdict{Outcome: conformance.Failed, Sent: "this", Got: "that\x1b[31m", Help: "fix it"}},
	}}
	for _, r := range report.Results {
		printResult(&out, r)
	}
	printSummary(&out, report)
	const want = `  ok    query-none                0.0s
  skip  query-many                0.0s  there are none
  FAIL  query-errors              0.0s  it matters
          sent: this
          got: that` + "\uFFFD" + `[31m
          help: fix it
3 checks of acme-x: 1 passed, 1 failed, 1 skipped in 1.5s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}
