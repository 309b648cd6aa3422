//go:build e2e && unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
)

// programs are the executables that tests share. Each is built when a test first needs it.
type programs struct {
	dir                               string
	slipway, existing, ours, examples func() error
}

var shared programs

// TestMain removes the shared executables after the tests.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "slipway-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	shared = programs{
		dir:     dir,
		slipway: once(".", dir+"/", "github.com/slipway-dev/slipway/cmd/..."),
		// without symbols, as packages of plugins have them
		existing: once(existingModule(), filepath.Join(dir, "existing")+"/", "-buildvcs=false", "-ldflags=-s -w", "./app", "./datasource", "./hello", "./host"),
		ours: once(existingModule(), filepath.Join(dir, "ours")+"/", "-buildvcs=false", "-ldflags=-s -w",
			"./ours/datasource", "./ours/app", "./ours/hello", "./ours/swap"),
		examples: once(".", filepath.Join(dir, "examples")+"/", "-buildvcs=false", "-ldflags=-s -w", "../../examples/..."),
	}
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

// once returns a function that builds packages without cgo, like the command slipway, so that
// their dependencies are compiled once.
func once(module, out string, args ...string) func() error {
	return sync.OnceValue(func() error {
		cmd := exec.Command("go", append([]string{"build", "-o", out}, args...)...)
		cmd.Dir, cmd.Env = module, append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		return nil
	})
}

// slipwayCommand returns the command slipway, with the programs that it runs beside it.
func slipwayCommand(t *testing.T) string { return built(t, shared.slipway, "slipway") }

// existingPrograms returns the directory of the plugins and the host that use Grafana's SDK,
// with a slash at its end.
func existingPrograms(t *testing.T) string { return built(t, shared.existing, "existing") + "/" }

// ourPrograms returns the directory of the plugins that use our SDK, with a slash at its end.
func ourPrograms(t *testing.T) string { return built(t, shared.ours, "ours") + "/" }

func built(t *testing.T, build func() error, name string) string {
	t.Helper()
	testkit.OK(t, build())
	return filepath.Join(shared.dir, name)
}
