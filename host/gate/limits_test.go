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

// limit describes a limit in the documentation.
type limit struct {
	name   string // what is bounded
	bound  string // with its unit
	over   string // what a caller gets when it exceeds the bound
	reason string
	test   string // that exceeds it
}

func limits() []limit {
	const (
		refused = "400, with the field"
		disk    = "a script must not fill the disk"
		memory  = "it is held in memory"
	)
	return []limit{
		{"connections", fmt.Sprint(gate.MaxConnections), "others wait", "a connection costs memory and a file descriptor", "host/gate TestConnections"},
		{"headers of a request", kibibytes(gate.MaxHeaderBytes), "431", memory, "host/gate TestHeaders"},
		{"time for the headers of a request", gate.HeaderTimeout.String(), "the connection is closed", "a connection costs memory", "host/gate TestTimes"},
		{"time between requests on a connection", gate.KeepAlive.String(), "the connection is closed", "a connection costs memory", "host/gate TestTimes"},
		{"time for the next part of a body, or to accept the next part of a response", gate.IdleTimeout.String(),
			"408, or the connection is closed", "a client that has stopped must not hold memory", "host/gate TestIdleBody"},
		{"JSON body", mebibytes(gate.MaxBody), "413", memory, "host/api TestHostileBodies"},
		{"body of a call to a plugin", mebibytes(gate.MaxPluginBody), "413", "it is passed on as one message", "host/api TestResource"},
		{"entries of a list", fmt.Sprintf("%d; by default %d, or %[1]d for lists that published clients expect to be complete", gate.MaxPageLength, gate.DefaultPageLength),
			"a page of this length; ask for the next with `page`", memory, "host/store TestQuota"},

		{"queries of a request", fmt.Sprint(gate.MaxQueries), refused, "each takes memory in the host and in the plugin", "host/api TestLongLists"},
		{"refId of a query", fmt.Sprintf("%d bytes", gate.MaxRefID), refused, "errors and results repeat it", "host/api TestQueryNumbers"},
		{"data sources that a request queries at the same time", fmt.Sprint(gate.ParallelSources), "the others wait", "one request must not occupy all plugins", "host/api TestManySources"},
		{"values of the frames in a plugin's response", fmt.Sprint(gate.MaxFrameCells), "502 for the query", "a boolean is one bit in an Arrow file and 26 bytes in memory", "host/api TestManyValues"},
		{"headers of a plugin's response", kibibytes(gate.MaxPluginHeader), "502", memory, "host/server TestResourceAnswer"},
		{"points of the built-in data source in a response", fmt.Sprint(gate.MaxWalkPoints), "400 for the query", "a few bytes can ask for any number of points", "host/builtin TestBounds"},
		{"dashboards of a plugin in a list", fmt.Sprint(gate.MaxOfferedDashboards), "a page of this length; ask for the next with `page`", "the list reads their files", "host/api TestOfferedDashboardBounds"},
		{"file of a dashboard of a plugin", mebibytes(gate.MaxDashboardFile), "it cannot be imported", memory, "host/api TestOfferedDashboardBounds"},
		{"inputs of a dashboard that is imported", fmt.Sprint(gate.MaxInputs), refused, "each is compared with every string in the dashboard", "host/api TestOfferedDashboards"},

		{"streams of a plugin", fmt.Sprint(gate.MaxStreams), "503", "viewers choose the names of channels, and each can be a stream", "host/live TestStreams"},
		{"data of a subscription", kibibytes(gate.MaxStreamData), refused, "it is kept, because a channel can run again", "host/live TestRefusals"},
		{"packet of a stream", kibibytes(gate.MaxPacket), "it is dropped and logged; one over 1 MiB ends the run, and the stream runs again", "each client that reads slowly holds it in memory", "host/live TestInvalidPackets"},
		{"message to a channel", kibibytes(gate.MaxMessage), refused, "it is passed on as one message", "host/live TestPublish"},
		{"packets that wait for a client", fmt.Sprint(gate.FeedQueue), "the client is disconnected", "a client that does not read must not hold up others", "host/live TestClientThatDoesNotRead"},
		{"time within which a client that lost access is disconnected", gate.FeedCheck.String(), "", "a session can end, and a token, a permission or a data source can be deleted", "host/live TestCheck"},

		{"items of a playlist", fmt.Sprint(gate.MaxPlaylistItems), refused, "each item can refer to every dashboard", "host TestPlaylistNormalize"},
		{"playlists of an organization", fmt.Sprint(gate.MaxPlaylists), "429", disk, "host/store TestQuota"},
		{"folders of an organization", fmt.Sprint(gate.MaxFolders), "429", disk, "host/store TestQuota"},
		{"dashboards of an organization", fmt.Sprint(gate.MaxDashboards), "429", disk, "host/store TestQuota"},
		{"tags of a dashboard", fmt.Sprintf("%d, and %s in total", gate.MaxTags, kibibytes(gate.MaxTagBytes)), refused, "lists of dashboards contain them", "host TestTagBytes"},
		{"data sources of an organization", fmt.Sprint(gate.MaxDataSources), "429", disk, "host/store TestQuota"},
		{"settings of all data sources of an organization", mebibytes(gate.MaxDataSourceSettings), "429", "a list of data sources contains them", "host/store TestSettingsQuota"},
		{"secrets of a data source or an app", fmt.Sprint(gate.MaxSecrets), refused, "a call to its plugin contains all of them", "host/store TestSecretsQuota"},
		{"service accounts of an organization", fmt.Sprint(gate.MaxServiceAccounts), "429", disk, "host/store TestQuota"},
		{"tokens of a service account", fmt.Sprint(gate.MaxAccountTokens), "429", disk + "; expired tokens are deleted first", "host/store TestAccountTokenPages"},
		{"API keys of an organization", fmt.Sprint(gate.MaxAPIKeys), "429", disk + "; expired keys are deleted first", "host/api TestKeyQuota"},
		{"permissions of the service account of a plugin", fmt.Sprint(gate.MaxGrants), "the backend does not start; `/api/plugins/errors` has the reason",
			"each request of the account is checked against them", "host TestCheckGrants"},
	}
}

func mebibytes(n int) string { return fmt.Sprintf("%d MiB", n>>20) }

func kibibytes(n int) string { return fmt.Sprintf("%d KiB", n>>10) }

// TestLimitsDocument compares the table in doc/host.md with limits.
func TestLimitsDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("\n| what | limit | when exceeded | because |\n| --- | --- | --- | --- |\n")
	for _, l := range limits() {
		fmt.Fprintf(&want, "| %s | %s | %s | %s |\n", l.name, l.bound, l.over, l.reason)
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

// TestLimitsAreExceeded requires that each limit has a test that exceeds it.
func TestLimitsAreExceeded(t *testing.T) {
	t.Parallel()
	for _, l := range limits() {
		dir, name, _ := strings.Cut(l.test, " ")
		files := testkit.Must(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(dir), "*_test.go")))(t)
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T)")
		}) {
			t.Errorf("%s: there is no %s in %s", l.name, name, dir)
		}
	}
}
