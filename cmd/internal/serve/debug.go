package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/cmd/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// Debug finds Delve if a plugin is to run under it. How to connect is printed once it listens.
func Debug(ctx context.Context, f verbs.Face, d *loader.Debugging, dir string, stdout io.Writer) (err error) {
	if len(d.Launch) == 0 {
		if d.Wait {
			return verbs.Usage("%s needs %s", f.Option("debug-wait"), f.Option("debug"))
		}
		return nil
	}
	if d.Delve, err = findDelve(ctx, dir); err != nil {
		return err
	}
	d.Listening = func(id, address string) { fmt.Fprint(stdout, connectText(id, address)) }
	return nil
}

func connectText(id, address string) string {
	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	launch, _ := json.Marshal(map[string]any{ // strings and numbers
		"name": id, "type": "go", "request": "attach", "mode": "remote", "host": host, "port": number,
	})
	return fmt.Sprintf("the backend of %s runs under Delve at %s\n  dlv connect %s\n  launch.json of VS Code: %s\n", id, address,
		address, launch)
}

// findDelve returns the path of Delve: on PATH, or as a tool of the module in a directory.
func findDelve(ctx context.Context, dir string) (string, error) {
	if path, err := exec.LookPath("dlv"); err == nil {
		return filepath.Abs(path)
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "-n", "dlv")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	return "", verbs.Usage("Delve not found on the PATH: run 'go get -tool github.com/go-delve/delve/cmd/dlv' in the repository, or " +
		"install it with 'go install github.com/go-delve/delve/cmd/dlv@latest'")
}
