package gate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the table of limits in doc/host.md")

// TestLimitsDocument compares the table in doc/host.md with Limits.
func TestLimitsDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("\n| what | limit | when exceeded | because |\n| --- | --- | --- | --- |\n")
	for _, l := range gate.Limits() {
		fmt.Fprintf(&want, "| %s | %s | %s | %s |\n", l.Name, l.Bound, l.Over, l.Reason)
	}
	file := filepath.Join("..", "..", "doc", "host.md")
	text := testkit.Must(os.ReadFile(file))(t)
	const begin, end = "<!-- limits -->", "<!-- /limits -->"
	before, rest, found := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s does not contain %s and %s", file, begin, end)
	}
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(before+begin+want.String()+end+after), 0o644))
		return
	}
	if diff := cmp.Diff(want.String(), table); diff != "" {
		t.Errorf("run the test with -update (-want +got):\n%s", diff)
	}
}

// exceeded names the test that exceeds each limit.
var exceeded = map[string]string{
	"connections":                           "host/gate TestConnections",
	"headers of a request":                  "host/gate TestHeaders",
	"time for the headers of a request":     "host/gate TestTimes",
	"time between requests on a connection": "host/gate TestTimes",
	"time for the next part of a body, or to accept the next part of a response": "host/gate TestIdleBody",
	"JSON body":                  "host/api TestHostileBodies",
	"body of a call to a plugin": "host/api TestResource",
	"entries of a list":          "host/store TestQuota",
	"queries of a request":       "host/api TestLongLists",
	"refId of a query":           "host/api TestQueryNumbers",
	"data sources that a request queries at the same time":        "host/api TestManySources",
	"values of the frames in a plugin's response":                 "host/api TestManyValues",
	"headers of a plugin's response":                              "host/server TestResourceAnswer",
	"points of the built-in data source in a response":            "host/builtin TestBounds",
	"dashboards of a plugin in a list":                            "host/api TestOfferedDashboardBounds",
	"file of a dashboard of a plugin":                             "host/api TestOfferedDashboardBounds",
	"inputs of a dashboard that is imported":                      "host/api TestOfferedDashboards",
	"streams of a plugin":                                         "host/live TestStreams",
	"data of a subscription":                                      "host/live TestRefusals",
	"packet of a stream":                                          "host/live TestInvalidPackets",
	"message to a channel":                                        "host/live TestPublish",
	"packets that wait for a client":                              "host/live TestClientThatDoesNotRead",
	"time within which a client that lost access is disconnected": "host/live TestCheck",
	"items of a playlist":                                         "host TestPlaylistNormalize",
	"playlists of an organization":                                "host/store TestQuota",
	"folders of an organization":                                  "host/store TestQuota",
	"dashboards of an organization":                               "host/store TestQuota",
	"tags of a dashboard":                                         "host TestTagBytes",
	"data sources of an organization":                             "host/store TestQuota",
	"settings of all data sources of an organization":             "host/store TestSettingsQuota",
	"secrets of a data source or an app":                          "host/store TestSecretsQuota",
	"service accounts of an organization":                         "host/store TestQuota",
	"tokens of a service account":                                 "host/store TestAccountTokenPages",
	"API keys of an organization":                                 "host/api TestKeyQuota",
	"permissions of the service account of a plugin":              "host TestCheckGrants",
}

// TestLimitsAreExceeded requires that each limit has a test that exceeds it.
func TestLimitsAreExceeded(t *testing.T) {
	t.Parallel()
	for _, l := range gate.Limits() {
		dir, name, ok := strings.Cut(exceeded[l.Name], " ")
		if !ok {
			t.Errorf("no test exceeds the limit %q", l.Name)
			continue
		}
		files := testkit.Must(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go")))(t)
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
		}) {
			t.Errorf("%s: there is no %s in %s", l.Name, name, dir)
		}
	}
	if len(exceeded) != len(gate.Limits()) {
		t.Errorf("%d limits, and tests of %d", len(gate.Limits()), len(exceeded))
	}
}
