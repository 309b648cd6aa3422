//go:build e2e && unix

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	npmClient      = "@leval/mcp-grafana@1.1.7" // a typed client of the API that others publish
	npmClientSteps = 10                         // in testdata/npmclient/drive.js
)

// TestNPMClient runs a TypeScript client of Grafana's API, which npm downloads, against the
// host.
func TestNPMClient(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: the test needs it for a published client", program)
		}
	}
	drive, err := filepath.Abs(filepath.Join("testdata", "npmclient", "drive.js"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	install := exec.CommandContext(t.Context(), "npm", "install", "--silent", "--no-fund", "--no-audit", "--ignore-scripts", "--prefix", dir, npmClient)
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install %s: %v\n%s", npmClient, err, out)
	}
	s := &script{slipway: slipwayCommand(t), repo: t.TempDir()}
	h := s.host(t)
	admin := h.token(t, "Admin")
	h.call(t, admin, 200, "POST", "/api/datasources", map[string]any{"name": "Main", "uid": "main", "type": "acme-x"})
	out := run(t, 0, dir, "node", drive, h.url, admin)
	if got := strings.Count("\n"+out, "\nok "); got != npmClientSteps {
		t.Errorf("%d steps succeeded, want %d:\n%s", got, npmClientSteps, out)
	}
	h.terminate(t)
}
