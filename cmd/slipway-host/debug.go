package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/slipway-dev/slipway/internal/verbs"
	"github.com/slipway-dev/slipway/loader"
)

// prepareDebugging finds Delve if a plugin runs under it, and prints how to connect once it
// listens.
func prepareDebugging(ctx context.Context, f verbs.Face, d *loader.Debugging, dir string, stdout io.Writer) (err error) {
	if len(d.Launch) == 0 {
		if d.Wait {
			return usageError("%s needs %s", f.Option("debug-wait"), f.Option("debug"))
		}
		return nil
	}
	if d.Delve, err = findDelve(ctx, dir); err != nil {
		return err
	}
	var mu sync.Mutex
	d.Listening = func(id, address string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprint(stdout, connectText(id, address))
	}
	return nil
}

// connectText describes how to connect to Delve.
func connectText(id, address string) string {
	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	launch, _ := json.Marshal(map[string]any{ // strings and numbers
		"name": id, "type": "go", "request": "attach", "mode": "remote", "host": host, "port": number,
	})
	return fmt.Sprintf("the backend of %s runs under Delve at %s\n  dlv connect %s\n  launch.json of VS Code: %s\n", id, address, address, launch)
}

// findDelve returns the path of the Delve executable: on PATH, as a tool of the
// Go module in a directory, or where go install puts it.
func findDelve(ctx context.Context, dir string) (string, error) {
	if path, err := exec.LookPath("dlv"); err == nil {
		return filepath.Abs(path)
	}
	if path := goOutput(ctx, dir, "tool", "-n", "dlv"); path != "" {
		return path, nil
	}
	bin := goOutput(ctx, dir, "env", "GOBIN")
	if bin == "" {
		bin = filepath.Join(goOutput(ctx, dir, "env", "GOPATH"), "bin")
	}
	name := "dlv"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if path := filepath.Join(bin, name); filepath.IsAbs(path) {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", usageError("Delve not found: run 'go install github.com/go-delve/delve/cmd/dlv@latest', or 'go get -tool github.com/go-delve/delve/cmd/dlv' in the repository")
}

// goOutput returns what a go command prints, or "" if it fails.
func goOutput(ctx context.Context, dir string, args ...string) string {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
