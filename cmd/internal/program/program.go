// Package program finds the other programs of this version of Slipway, slipway-host and
// slipway-bundler, and builds them into the user's cache if needed. They are separate because most
// commands need neither a SQL engine nor a bundler, which take longer to compile than everything
// else. The module targets finds slipway itself in the same cache.
package program

import (
	"bufio"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/version"
)

// The programs that Find finds.
const (
	Host    = "slipway-host"
	Bundler = "slipway-bundler"
)

// Find returns the path of a program that is next to this one or in the cache. If it is in neither, Find builds
// it, and writes the progress to w.
func Find(ctx context.Context, name string, w io.Writer) (string, error) {
	if path := Installed(name); path != "" {
		return path, nil
	}
	from, err := version.Find()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find cache directory: %w", err)
	}
	program := filepath.Join(cache, "slipway", "programs", directory(from), executable(name))
	if _, err := os.Stat(program); err == nil && from.Checkout == "" {
		return program, nil
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return "", err
	}
	if err := build(ctx, from, name, program, w); err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return program, nil
}

// Installed returns the path of a program of this version next to this one, or "": the cache of a checkout may have
// an old one.
func Installed(name string) string {
	self, err := os.Executable()
	if err != nil || strings.HasPrefix(filepath.Base(filepath.Dir(self)), checkoutPrefix) {
		return ""
	}
	path := filepath.Join(filepath.Dir(self), executable(name))
	info, err := buildinfo.ReadFile(path)
	own, ownErr := buildinfo.ReadFile(self)
	if err != nil || ownErr != nil || info.Main.Path != version.Module || info.Main.Version != own.Main.Version {
		return ""
	}
	return path
}

const checkoutPrefix = "checkout-"

// directory names an origin in the cache, as package targets/internal/program does.
func directory(from version.Origin) string {
	if from.Checkout == "" {
		return from.Version
	}
	sum := sha256.Sum256([]byte(from.Checkout))
	return checkoutPrefix + hex.EncodeToString(sum[:6])
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// build builds a program into a temporary directory and moves it to its place, so that two runs do
// not disturb each other. From a checkout, the go command decides whether anything has changed.
func build(ctx context.Context, from version.Origin, name, program string, w io.Writer) error {
	dir, err := os.MkdirTemp(filepath.Dir(program), ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The flags are those of the program slipway, so that what both need is compiled once.
	args, at, mod := []string{"install", "-v", "-ldflags=-s -w", version.Module + "/cmd/" + name + "@" + from.Version}, dir, "mod"
	if from.Checkout != "" {
		args = []string{"build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-o", filepath.Join(dir, filepath.Base(program)), "./cmd/" + name}
		at, mod = from.Checkout, "readonly"
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	// Nothing that is set for the plugin may apply.
	cmd.Dir, cmd.Env = at, append(os.Environ(), "GOBIN="+dir, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOFLAGS=-mod="+mod,
		"GOWORK=off", "CGO_ENABLED=0", "GOAMD64=", "GOARM64=", "GOARM=", "GOEXPERIMENT=")
	if err := run(cmd, "building "+name, w); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, filepath.Base(program)), program)
}

// run runs a go command with -v, prints how many packages it has compiled, and fails with what else it printed.
func run(cmd *exec.Cmd, what string, w io.Writer) error {
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	var compiled atomic.Int64
	stop := progress.Task{W: w, Name: what, Left: func() string { return fmt.Sprintf("packages compiled: %d", compiled.Load()) }}.Start()
	defer stop()
	var rest strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if line := lines.Text(); strings.ContainsAny(line, " :#") {
			rest.WriteString(line + "\n")
		} else if compiled.Add(1) == 1 {
			fmt.Fprintf(w, "%s once for this version; that can take a minute or two\n", what)
		}
	}
	if err := cmd.Wait(); err != nil {
		return errors.Join(errors.New(strings.TrimSpace(rest.String())), err)
	}
	return nil
}
