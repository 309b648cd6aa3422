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

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/internal/wire"
)

// programs is where TestMain builds the plugins under test. They are built without the
// race detector, which delays the end of each process by a second.
const programs = "SLIPWAY_TEST_PROGRAMS"

func TestMain(m *testing.M) { os.Exit(withPrograms(m)) }

func withPrograms(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", build.CompilerFlags, "-ldflags=-s -w", "-o", dir+"/", "./testdata/faulty", "../examples/...")
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
	if err := flag.Set("test.parallel", "6"); err != nil { // the tests mostly wait
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// writePlugin makes a plugin directory whose backend is one of the programs, or the faulty one
// in a mode.
func writePlugin(t *testing.T, kind, program, mode string) bundle.Plugin {
	t.Helper()
	dir := t.TempDir()
	program = filepath.Join(os.Getenv(programs), program)
	text := fmt.Sprintf(`{"id":"acme-x-%s","name":"x","type":%q,"backend":true,"executable":"gpx_%s","info":{"version":"1.0.0"}}`, kind, kind, mode)
	testkit.OK(t, os.WriteFile(filepath.Join(dir, bundle.MetadataFile), []byte(text), 0o644))
	testkit.OK(t, os.Symlink(program, filepath.Join(dir, bundle.Host().Executable("gpx_"+mode))))
	found, faults := bundle.Discover(dir)
	if len(found) != 1 {
		t.Fatalf("found %v, %v", found, faults)
	}
	return found[0]
}

// run runs the checks and returns the ids by outcome.
func run(t *testing.T, o Options) (Report, map[Outcome][]string) {
	t.Helper()
	r := testkit.Must(Run(t.Context(), o))(t)
	ids := map[Outcome][]string{}
	for _, one := range r.Results {
		ids[one.Outcome] = append(ids[one.Outcome], one.ID)
		isComplete := map[Outcome]bool{
			Passed:  one.Verdict == Verdict{Outcome: Passed},
			Skipped: one.Reason != "",
			Failed:  one.Sent != "" && one.Got != "" && one.Help != "",
			Warned:  one.Sent != "" && one.Got != "" && one.Help != "",
		}[one.Outcome]
		if !isComplete {
			t.Errorf("%s has an incomplete verdict: %+v", one.ID, one.Verdict)
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

// allBut returns the ids of all checks except some.
func allBut(ids ...string) (all []string) {
	for _, c := range Checks() {
		if !slices.Contains(ids, c.ID) {
			all = append(all, c.ID)
		}
	}
	return all
}

func TestChecksAreComplete(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] {
			t.Errorf("two checks have the id %q", c.ID)
		}
		seen[c.ID] = true
		if strings.Trim(c.ID, "abcdefghijklmnopqrstuvwxyz-") != "" {
			t.Errorf("%q must consist of lowercase letters and hyphens", c.ID)
		}
		if c.Why == "" {
			t.Errorf("%s has no explanation", c.ID)
		}
	}
}

func TestCorrectPluginPasses(t *testing.T) {
	t.Parallel()
	r, ids := run(t, Options{Plugin: writePlugin(t, "datasource", "faulty", "none"), rounds: 5})
	if len(ids[Passed]) != len(Checks()) {
		t.Errorf("some checks did not pass:\n%s", details(r))
	}
}

// TestBugsAreFound runs all checks on plugins with one bug each, and requires that
// no other check fails.
func TestBugsAreFound(t *testing.T) {
	t.Parallel()
	const killed, huge = "stop-host-killed", "huge-request" // take a second each, so run them only where they matter
	for mode, want := range map[string][]string{
		"needs-certificates": {"start-bare"},
		"knows-all":          {"unknown-service", "unknown-method"},
		"strict":             {"unknown-fields"},
		"nil-context":        {"nil-context-query"},
		"nil-user":           {"bare-context"},
		"first-settings":     {"settings-change"},
		"silent":             {"query-responds-to-each"},
		"bad-frame":          {"query-frames"},
		"bad-status":         {"query-errors"},
		"bad-source":         {"query-errors"},
		"no-queries":         {"query-none"},
		"few-queries":        {"query-many"},
		"unknown-type":       {"query-unknown-type"},
		"nil-time-range":     {"query-nil-time-range"},
		"nil-json":           {"query-nil-json"},
		"dies":               {"query-no-json"},
		"bad-details":        {"health-response"},
		"sick-silence":       {"health-response"},
		"bad-metrics":        {"metrics-text"},
		"breaks-off":         {"resource-unknown-path", "resource-methods"},
		"post-panics":        {"resource-methods"},
		"path-panics":        {"resource-odd-paths"},
		"header-panics":      {"odd-headers"},
		"storms":             {"stream-subscribe-unknown", "stream-run-refused"},
		"mixes-up":           {"parallel-calls"},
		"holds-on":           {"canceled-calls"},
		"leaks":              {"canceled-leaves-nothing"},
		"slow-stop":          {"stop-in-time", "stop-busy"},
		"exit-status":        {"stop-in-time", "stop-busy"},
		"leaves-child":       {"stop-in-time", "stop-busy", killed},
		"plain":              {huge, killed},
		"prints":             {"stdout-silent"},
		"plain-logs":         {"logs-readable"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := Options{Plugin: writePlugin(t, "datasource", "faulty", mode), rounds: 1, cancels: 20}
			if !slices.Contains(want, killed) {
				o.Only = allBut(killed, huge)
			}
			if mode == "holds-on" { // the number of goroutines left depends on how many calls reached the handler
				o.cancels, o.Only = 0, allBut(killed, huge, "canceled-leaves-nothing")
			}
			r, ids := run(t, o)
			if diff := cmp.Diff(want, ids[Failed]); diff != "" {
				t.Errorf("failed checks (-want +got):\n%s\n%s", diff, details(r))
			}
		})
	}
}

// TestNothingRunsWithoutAStart requires that checks which did not run are skipped.
func TestNothingRunsWithoutAStart(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]string{"crash": "exit status 3", "noise": `it printed "hello from main"`} {
		r, ids := run(t, Options{Plugin: writePlugin(t, "datasource", "faulty", mode)})
		wantIDs := map[Outcome][]string{Failed: {"start-mtls"}, Skipped: allBut("start-mtls")}
		if diff := cmp.Diff(wantIDs, ids); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", mode, diff, details(r))
		}
		if !strings.Contains(r.Results[0].Got, want) {
			t.Errorf("%s: got %q, want a string containing %q", mode, r.Results[0].Got, want)
		}
	}
}

// TestTheNextCheckGetsAProcess requires that a process that exits, or hangs, fails a
// single check.
func TestTheNextCheckGetsAProcess(t *testing.T) {
	t.Parallel()
	r, ids := run(t, Options{Plugin: writePlugin(t, "datasource", "faulty", "dies"), Only: []string{"query-no-json", "query-none"}})
	if diff := cmp.Diff(map[Outcome][]string{Passed: {"query-none"}, Failed: {"query-no-json"}}, ids); diff != "" {
		t.Fatalf("after an exit (-want +got):\n%s\n%s", diff, details(r))
	}
	for _, want := range []string{"exit status 7", "that was too much"} {
		if !strings.Contains(r.Results[1].Got, want) {
			t.Errorf("got %q, want a string containing %q", r.Results[1].Got, want)
		}
	}
	if !strings.Contains(r.Results[1].Sent, "17") {
		t.Errorf("sent %q, want a string containing 17", r.Results[1].Sent)
	}
	r, ids = run(t, Options{Plugin: writePlugin(t, "datasource", "faulty", "hangs"), Timeout: 4 * time.Second, Only: []string{"nil-context-health", "query-none"}})
	if diff := cmp.Diff(map[Outcome][]string{Passed: {"query-none"}, Failed: {"nil-context-health"}}, ids); diff != "" {
		t.Errorf("after a hang (-want +got):\n%s\n%s", diff, details(r))
	}
}

func TestWhatCannotRun(t *testing.T) {
	t.Parallel()
	p := writePlugin(t, "datasource", "faulty", "none")
	if _, err := Run(t.Context(), Options{Plugin: p, Only: []string{"query-nun"}}); err == nil || err.Error() != `unknown check "query-nun"; did you mean "query-none"?` {
		t.Errorf("an unknown check: %v", err)
	}
	if _, err := Run(t.Context(), Options{Plugin: p, Skip: []string{"zzzz"}}); err == nil || !strings.HasPrefix(err.Error(), `unknown check "zzzz"; the nearest are `) {
		t.Errorf("an unknown check to skip: %v", err)
	}
	testkit.OK(t, os.Remove(filepath.Join(p.Dir, bundle.Host().Executable(p.Metadata.Executable))))
	if _, err := Run(t.Context(), Options{Plugin: p}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("no executable: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Run(ctx, Options{Plugin: writePlugin(t, "datasource", "faulty", "none")}); !errors.Is(err, context.Canceled) || len(r.Results) > 0 {
		t.Errorf("canceled: %v, %d results", err, len(r.Results))
	}
}

// TestOurs runs the checks on the example plugins.
func TestOurs(t *testing.T) {
	t.Parallel()
	for program, kind := range map[string]string{"datasource": "datasource", "app": "app", "renderer": "renderer", "secretsmanager": "secretsmanager"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			o := Options{Plugin: writePlugin(t, kind, program, "x"), rounds: 5}
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

func TestIsPanic(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"panic: no region": true,
		"panic triggered: runtime error: invalid memory address or nil pointer dereference": true,
		"panic caught: assignment to entry in nil map":                                      true,
		"query A: runtime error: index out of range [0] with length 0":                      true,
		"interface conversion: interface {} is string, not int":                             true,
		"send on closed channel":                    true,
		"boom\ngoroutine 7 [running]:\nmain.main()": true,
		"thread 'main' panicked at src/main.rs:3:5": true,
		"":                                    false,
		"the site is in panic mode":           false,
		"do not panic: try again":             false,
		"the upstream reports a kernel panic": false,
		"runtime error: the query takes too long":     false,
		"no interface conversion for the unit \"ms\"": false,
	} {
		if got := isPanic(text); got != want {
			t.Errorf("isPanic(%q) is %t", text, got)
		}
		if got := errorReply(status.Error(codes.Unknown, text)).isPanic; got != want {
			t.Errorf("an error with the message %q: panic is %t", text, got)
		}
	}
	s := testkit.Must(status.New(codes.Internal, "reworded").WithDetails(&errdetails.ErrorInfo{Domain: wire.Domain, Reason: wire.ReasonPanic}))(t)
	if !errorReply(s.Err()).isPanic {
		t.Error("the detail of a panic was not recognized")
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ verdicts, want string }{{"", "passed"}, {"passed skipped passed", "skipped"}, {"skipped failed passed", "failed"}} {
		verdicts := strings.Fields(c.verdicts)
		got := each(func(context.Context, *subject, call) Verdict {
			v := Verdict{Outcome: Outcome(verdicts[0])}
			verdicts = verdicts[1:]
			return v
		})(t.Context(), nil, make([]call, len(verdicts)))
		if string(got.Outcome) != c.want {
			t.Errorf("%s: got %s, want %s", c.verdicts, got.Outcome, c.want)
		}
	}
}
