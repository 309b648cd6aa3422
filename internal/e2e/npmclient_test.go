//go:build e2e && unix

package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// npmClients are clients of Grafana's API that others publish. Each has a script in
// testdata/npmclient.
var npmClients = []struct {
	script, version string
	steps           int
}{
	{"@leval/mcp-grafana", "1.1.7", 10}, // typed
	{"jsgrafana", "1.0.5", 39},          // has most operations of the published documentation
}

// TestNPMClients runs clients that npm downloads against the host.
func TestNPMClients(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed: the test needs it for published clients", program)
		}
	}
	s := &script{slipway: slipwayCommand(t), repo: t.TempDir()}
	for _, c := range npmClients {
		t.Run(c.script, func(t *testing.T) {
			drive := testkit.Must(filepath.Abs(filepath.Join("testdata", "npmclient", filepath.Base(c.script)+".js")))(t)
			dir := t.TempDir()
			if err := npmInstall(t, dir, c.script+"@"+c.version); err != nil {
				t.Skip(err)
			}
			h := s.host(t)
			admin := h.token(t, "Admin")
			h.call(t, admin, 200, "POST", "/api/datasources", map[string]any{"name": "Main", "uid": "main", "type": "acme-x"})
			out := run(t, 0, dir, "node", drive, h.url, admin)
			if got := strings.Count("\n"+out, "\nok "); got != c.steps {
				t.Errorf("%d steps succeeded, want %d:\n%s", got, c.steps, out)
			}
			h.terminate(t)
		})
	}
}
