//go:build e2e && unix

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// TestGoClients runs published clients of Grafana's API against the host, if they can be downloaded.
func TestGoClients(t *testing.T) {
	s := &script{slipway: slipwayCommand(t), repo: t.TempDir()}
	for _, c := range []struct{ name, module, want string }{
		{"openapi", "github.com/grafana/grafana-openapi-client-go@v0.0.0-20260330113218-ee77c4f6f90e",
			"used: 29 calls\nevery: 12 answered, 320 refused with a reason, 2 not sent, 0 others\n"},
		{"gapi", "github.com/grafana/grafana-api-golang-client@v0.23.0", "used: 31 calls\n"}, // of the Terraform provider 1
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			testkit.OK(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "goclient", c.name))))
			build := func(args ...string) ([]byte, error) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // of a download
				defer cancel()
				cmd := exec.CommandContext(ctx, "go", args...)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
				return cmd.CombinedOutput()
			}
			if out, err := build("mod", "init", "client"); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := build("get", c.module); err != nil {
				t.Skipf("%s cannot be downloaded: %v\n%s", c.module, err, out)
			}
			if out, err := build("build", "-o", "client", "."); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			h := s.host(t)
			if got := run(t, 0, "", filepath.Join(dir, "client"), h.url, h.token(t, "Admin")); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			h.terminate(t)
		})
	}
}
