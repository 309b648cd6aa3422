//go:build unix

package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

// programs is where TestMain builds the plugins that the checks run on. They are built
// without the race detector, which holds up the end of each process by a second.
const programs = "SLIPWAY_TEST_PROGRAMS"

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", dir+"/", "./testdata/faulty", "../examples/...", "../internal/e2e/testdata/ours/hello")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as mage build does
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	if err := os.Setenv(programs, dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // they wait more than they work
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// plug makes a plugin folder whose backend is one of the programs, or the faulty one in
// a mode.
func plug(t *testing.T, kind, program, mode string) bundle.Plugin {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(os.Getenv(programs), program)
	text := fmt.Sprintf(`{"id":"acme-x-%s","name":"x","type":%q,"backend":true,"executable":"gpx_%s","info":{"version":"1.0.0"}}`, kind, kind, mode)
	if err := os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(dir, bundle.Host().Executable("gpx_"+mode))); err != nil {
		t.Fatal(err)
	}
	found, faults := bundle.Discover(dir)
	if len(found) != 1 {
		t.Fatalf("found %v, %v", found, faults)
	}
	return found[0]
}

// run runs the checks and returns the ids by outcome.
func run(t *testing.T, o Options) (Report, map[Outcome][]string) {
	t.Helper()
	var told int
	o.Each = func(Result) { told++ }
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if told != len(r.Results) {
		t.Errorf("%d results, of which %d were told", len(r.Results), told)
	}
	ids := map[Outcome][]string{}
	for _, one := range r.Results {
		ids[one.Outcome] = append(ids[one.Outcome], one.ID)
		isComplete := map[Outcome]bool{
			Passed:  one.Verdict == Verdict{Outcome: Passed},
			Skipped: one.Reason != "",
			Failed:  one.Sent != "" && one.Got != "" && one.Help != "",
		}[one.Outcome]
		if !isComplete {
			t.Errorf("%s says %+v", one.ID, one.Verdict)
		}
	}
	return r, ids
}

func details(r Report) string {
	var b strings.Builder
	for _, one := range r.Results {
		if one.Outcome != Passed {
			fmt.Fprintf(&b, "%s %s: %s%s -> %s\n", one.Outcome, one.ID, one.Reason, one.Sent, one.Got)
		}
	}
	return b.String()
}

// allBut are the ids of all checks but some.
func allBut(ids ...string) (all []string) {
	for _, c := range Checks() {
		if !slices.Contains(ids, c.ID) {
			all = append(all, c.ID)
		}
	}
	return all
}

func TestChecksAreNamedOnce(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] || c.Why == "" || c.run == nil || strings.Trim(c.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
}

func TestFaultlessPassesEverything(t *testing.T) {
	t.Parallel()
	r, ids := run(t, Options{Plugin: plug(t, "datasource", "faulty", "none"), rounds: 5})
	if len(ids[Passed]) != len(Checks()) {
		t.Errorf("not everything passed:\n%s", details(r))
	}
}

// TestFaultsAreCaught runs all checks on plugins with one fault each, which no other
// check may take for another one.
func TestFaultsAreCaught(t *testing.T) {
	t.Parallel()
	const killed, huge = "stop-host-killed", "huge-request" // take a second, so only where they matter
	for mode, want := range map[string][]string{
		"needs-certificates": {"start-bare"},
		"knows-all":          {"unknown-service", "unknown-method"},
		"strict":             {"unknown-fields"},
		"nil-context":        {"nil-context-query"},
		"nil-user":           {"bare-context"},
		"first-settings":     {"settings-change"},
		"silent":             {"query-answers-each"},
		"bad-frame":          {"query-frames"},
		"bad-status":         {"query-errors"},
		"bad-source":         {"query-errors"},
		"no-queries":         {"query-none"},
		"few-queries":        {"query-many"},
		"unknown-type":       {"query-unknown-type"},
		"nil-time-range":     {"query-nil-time-range"},
		"nil-json":           {"query-nil-json"},
		"dies":               {"query-no-json"},
		"bad-details":        {"health-answer"},
		"sick-silence":       {"health-answer"},
		"bad-metrics":        {"metrics-text"},
		"breaks-off":         {"resource-unknown-path", "resource-methods"},
		"post-panics":        {"resource-methods"},
		"path-panics":        {"resource-odd-paths"},
		"header-panics":      {"odd-headers"},
		"storms":             {"stream-subscribe-unknown", "stream-run-refused"},
		"mixes-up":           {"parallel-calls"},
		"holds-on":           {"cancelled-calls"},
		"leaks":              {"cancelled-leaves-nothing"},
		"slow-stop":          {"stop-in-time", "stop-busy"},
		"exit-status":        {"stop-in-time", "stop-busy"},
		"leaves-child":       {"stop-in-time", "stop-busy", killed},
		"plain":              {huge, killed},
		"prints":             {"stdout-silent"},
		"plain-logs":         {"logs-readable"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := Options{Plugin: plug(t, "datasource", "faulty", mode), rounds: 1, cancels: 20}
			if !slices.Contains(want, killed) {
				o.Only = allBut(killed, huge)
			}
			if mode == "holds-on" { // whether many are left as well depends on how many reached the handler in time
				o.cancels, o.Only = 0, allBut(killed, huge, "cancelled-leaves-nothing")
			}
			r, ids := run(t, o)
			if !slices.Equal(ids[Failed], want) {
				t.Errorf("failed are %v, not %v:\n%s", ids[Failed], want, details(r))
			}
		})
	}
}

// TestNothingRunsWithoutAStart wants what did not run to say so.
func TestNothingRunsWithoutAStart(t *testing.T) {
	t.Parallel()
	for mode, says := range map[string]string{"crash": "exit status 3", "noise": `it printed "hello from main"`} {
		r, ids := run(t, Options{Plugin: plug(t, "datasource", "faulty", mode)})
		if !slices.Equal(ids[Failed], []string{"start-mtls"}) || len(ids[Skipped]) != len(Checks())-1 || !strings.Contains(r.Results[0].Got, says) {
			t.Errorf("%s: %s", mode, details(r))
		}
	}
}

// TestTheNextCheckGetsAProcess wants a process that died, or hangs, to cost one check.
func TestTheNextCheckGetsAProcess(t *testing.T) {
	t.Parallel()
	r, ids := run(t, Options{Plugin: plug(t, "datasource", "faulty", "dies"), Only: []string{"query-no-json", "query-none"}})
	if !slices.Equal(ids[Passed], []string{"query-none"}) || !strings.Contains(r.Results[1].Got, "exit status 7") || !strings.Contains(r.Results[1].Got, "that was too much") || !strings.Contains(r.Results[1].Sent, "17") {
		t.Errorf("%+v", r.Results[1])
	}
	started := time.Now()
	r, ids = run(t, Options{Plugin: plug(t, "datasource", "faulty", "hangs"), Timeout: 4 * time.Second, Only: []string{"nil-context-health", "query-none"}})
	if !slices.Equal(ids[Failed], []string{"nil-context-health"}) || !slices.Equal(ids[Passed], []string{"query-none"}) || time.Since(started) > time.Minute {
		t.Errorf("after %s: %s", time.Since(started), details(r))
	}
}

func TestWhatCannotRun(t *testing.T) {
	t.Parallel()
	p := plug(t, "datasource", "faulty", "none")
	if _, err := Run(t.Context(), Options{Plugin: p, Only: []string{"query-nun"}}); err == nil || !strings.Contains(err.Error(), `"query-nun"`) || !strings.Contains(err.Error(), "query-none") {
		t.Errorf("an unknown check: %v", err)
	}
	if err := os.Remove(filepath.Join(p.Dir, bundle.Host().Executable(p.Metadata.Executable))); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Options{Plugin: p}); err == nil || !strings.Contains(err.Error(), "is missing") {
		t.Errorf("no executable: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := Options{Plugin: plug(t, "datasource", "faulty", "none"), Each: func(Result) { cancel() }}
	if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) || len(r.Results) != 1 {
		t.Errorf("cancelled: %v, %d results", err, len(r.Results))
	}
}

// TestOurs runs the checks on plugins on our SDK, as they are shown to authors.
func TestOurs(t *testing.T) {
	t.Parallel()
	for program, kind := range map[string]string{"datasource": "datasource", "app": "app", "renderer": "renderer", "secretsmanager": "secretsmanager", "hello": "datasource"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			o := Options{Plugin: plug(t, kind, program, "x"), rounds: 5}
			if program == "datasource" {
				o.Settings, o.Query, o.URL = []byte(`{"currency":"EUR"}`), []byte(`{"queryType":"sales","article":"tea"}`), "http://127.0.0.1:9/"
			}
			r, ids := run(t, o)
			if len(ids[Failed]) > 0 {
				t.Errorf("failed:\n%s", details(r))
			}
			t.Logf("%s: %d passed, %d skipped", program, len(ids[Passed]), len(ids[Skipped]))
		})
	}
}
