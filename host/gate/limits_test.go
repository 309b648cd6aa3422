package gate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host/gate"
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
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- limits -->", "<!-- /limits -->"
	before, rest, found := strings.Cut(string(text), begin)
	table, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s does not contain %s and %s", file, begin, end)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+want.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), table); diff != "" {
		t.Errorf("run the test with -update (-want +got):\n%s", diff)
	}
}
