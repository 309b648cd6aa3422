//go:build unix

package conformance

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/text"
)

// TestMissingSettings requires that a plugin which needs settings is not blamed for a run
// without them, and that nothing that depends on them counts as passed.
func TestMissingSettings(t *testing.T) {
	t.Parallel()
	independent := allBut("huge-request", "stop-host-killed", "start-bare", "stop-busy", "stop-in-time")
	o := Options{Plugin: writePlugin(t, "datasource", "faulty", "needs-region"), Only: independent, rounds: 1, cancels: 20}
	r, ids := run(t, o)
	if len(ids[Failed]) > 0 || !slices.Contains(ids[Skipped], "instance") {
		t.Errorf("without settings:\n%s", details(r))
	}
	for _, id := range []string{"query-none", "query-errors", "resource-unknown-path", "health-response", "unknown-fields"} {
		if !slices.Contains(ids[Skipped], id) {
			t.Errorf("%s was not skipped:\n%s", id, details(r))
		}
	}
	for _, one := range r.Results {
		const want = `the plugin does not work with these settings: CheckHealth, QueryData, CallResource, SubscribeStream failed with "data source of organization 1: region and apiKey are required"`
		if one.ID == "query-none" && (one.Reason != want || one.SameAs != "instance") {
			t.Errorf("%s: skipped with %q, same as %q", one.ID, one.Reason, one.SameAs)
		}
	}

	o.Settings, o.Secrets = []byte(`{"region":"north"}`), map[string]string{"apiKey": "hunter2"}
	if r, ids := run(t, o); len(ids[Passed]) != len(independent) {
		t.Errorf("with settings:\n%s", details(r))
	}

	o.Secrets = map[string]string{"apiKey": "hunter2-rejected"}
	r, ids = run(t, o)
	if diff := cmp.Diff([]string{"instance"}, ids[Failed]); diff != "" {
		t.Errorf("failed checks with a wrong key (-want +got):\n%s\n%s", diff, details(r))
	}
	if text := details(r); strings.Contains(text, "hunter2") || !strings.Contains(text, "the key "+removed+" was rejected") {
		t.Errorf("the results have a secret, or nothing in its place:\n%s", text)
	}
}

// TestOneReason requires that a plugin which fails every query is told so once.
func TestOneReason(t *testing.T) {
	t.Parallel()
	var queries []string
	for _, c := range Checks() {
		if strings.HasPrefix(c.ID, "query-") {
			queries = append(queries, c.ID)
		}
	}
	r, ids := run(t, Options{Plugin: writePlugin(t, "datasource", "faulty", "fails-whole"), Only: queries})
	if len(ids[Skipped]) != len(queries) {
		t.Errorf("not skipped:\n%s", details(r))
	}
	for _, one := range r.Results[1:] {
		const want = `the plugin fails every QueryData call: Unknown "missing address"`
		if one.Reason != want || one.SameAs != queries[0] {
			t.Errorf("%s: skipped with %q, same as %q", one.ID, one.Reason, one.SameAs)
		}
	}
}

func TestSecretsAreRemoved(t *testing.T) {
	t.Parallel()
	const secret = "correct horse battery"
	v := failed(secret, text.Shorten("key "+secret, 12), "x").without(map[string]string{"a": secret, "b": "x", "c": ""})
	if diff := cmp.Diff(failed(removed, "key "+removed+"...", "x"), v); diff != "" {
		t.Errorf("verdict (-want +got):\n%s", diff)
	}
	const unusual = "a\nb\"c"
	for range 20 { // in any order of the map
		v := failed(fmt.Sprintf("%q", "key "+unusual), "admin123, admin", "x").without(map[string]string{"a": "admin", "b": "admin123", "c": unusual})
		if diff := cmp.Diff(failed(`"key `+removed+`"`, removed+", "+removed, "x"), v); diff != "" {
			t.Fatalf("quoted, or a part of another (-want +got):\n%s", diff)
		}
	}
}

// TestTemporaryFiles requires that nothing which a plugin leaves behind outlives the run.
func TestTemporaryFiles(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	o := Options{Plugin: writePlugin(t, "datasource", "faulty", "litters"), Environ: []string{"TMPDIR=" + temp}, Only: []string{"start-mtls", "start-bare", "query-none"}}
	if r, ids := run(t, o); len(ids[Passed]) != len(o.Only) {
		t.Error(details(r))
	}
	files, err := os.ReadDir(temp)
	if err != nil || len(files) > 0 {
		t.Errorf("left in the directory for temporary files: %v, %v", files, err)
	}
}

// TestStandards requires that what no host does or needs is a failure for our SDK and a
// warning for others.
func TestStandards(t *testing.T) {
	t.Parallel()
	var o Options
	for mode, id := range map[string]string{"nil-context": "nil-context-query", "plain-logs": "logs-readable"} {
		o = Options{Plugin: writePlugin(t, "datasource", "faulty", mode), Only: []string{id, "query-none"}}
		for standard, want := range map[Standard]Outcome{"": Failed, Strict: Failed, Existing: Warned} {
			o.Standard = standard
			r, ids := run(t, o)
			if diff := cmp.Diff(map[Outcome][]string{want: {id}, Passed: {"query-none"}}, ids); diff != "" {
				t.Errorf("%q (-want +got):\n%s\n%s", standard, diff, details(r))
			}
			if r.SDK == nil || !strings.HasPrefix(r.SDK.String(), "Slipway's SDK ") {
				t.Errorf("SDK is %v", r.SDK)
			}
		}
	}
	o.Only, o.Skip, o.Standard = nil, allBut("query-none"), ""
	if r, ids := run(t, o); len(ids[Passed]) != 1 || len(ids[Skipped]) != len(Checks())-1 || r.Results[0].Reason != "skipped on request" {
		t.Errorf("with all others skipped:\n%s", details(r))
	}
}
