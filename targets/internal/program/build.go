package program

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// build builds the program into a temporary directory and moves it to path.
func (o origin) build(ctx context.Context, path string, w io.Writer) error {
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(path)), "*", ".build-*")) // by builds that were killed
	for _, name := range left {
		if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > time.Hour {
			_ = os.RemoveAll(name)
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, filepath.Base(path))
	fmt.Fprintf(w, "building slipway %s; the first time, this can take a minute or two\n", o)
	started := time.Now()
	if err := o.runGo(ctx, dir, built, w); err != nil {
		return err
	}
	if info, err := os.Stat(built); err == nil {
		fmt.Fprintf(w, "built slipway %s in %.0fs, %d MB\n", o, time.Since(started).Seconds(), info.Size()/1e6)
	}
	return os.Rename(built, path)
}

// String names the origin for people.
func (o origin) String() string {
	if o.checkout != "" {
		return "from " + o.checkout
	}
	return o.version
}

// command returns the go command that builds the program in a temporary directory. It leaves out what
// only a debugger reads. The other flags are the defaults, which Mage is compiled with as well.
func (o origin) command(ctx context.Context, dir, built string) *exec.Cmd {
	args, at, mod := []string{"install", "-v", "-ldflags=-s -w", module + "/cmd/slipway@" + o.version}, dir, "mod"
	if o.checkout != "" {
		args, at, mod = []string{"build", "-v", "-buildvcs=false", "-ldflags=-s -w", "-o", built, "./cmd/slipway"}, o.checkout, "readonly"
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	// Nothing that is set for the plugin may apply.
	cmd.Dir, cmd.Env = at, append(os.Environ(), "GOBIN="+dir, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOFLAGS=-mod="+mod, "GOWORK=off", "CGO_ENABLED=0",
		"GOAMD64=", "GOARM64=", "GOARM=", "GOEXPERIMENT=")
	return cmd
}

// firstInterval is the time before the first line of progress. Each interval is twice as long as the one before.
const firstInterval = 7 * time.Second

// runGo runs the go command. While it runs, runGo prints how much it has downloaded and compiled.
func (o origin) runGo(ctx context.Context, dir, built string, w io.Writer) error {
	cmd := o.command(ctx, dir, built)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("build slipway: %w", err)
	}
	var downloaded, compiled atomic.Int64
	started, done, printed := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(printed)
		for interval := firstInterval; ; interval *= 2 {
			select {
			case <-time.After(interval):
				fmt.Fprintf(w, "  building slipway, %.0fs; modules downloaded: %d, packages compiled: %d\n", time.Since(started).Seconds(),
					downloaded.Load(), compiled.Load())
			case <-done:
				return
			}
		}
	}()
	var rest []string
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.HasPrefix(line, "go: downloading "):
			downloaded.Add(1)
		case !strings.ContainsAny(line, " :#"): // the import path of a package
			compiled.Add(1)
		default:
			rest = append(rest, line)
		}
	}
	err = cmd.Wait()
	close(done)
	<-printed
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return errors.New("build slipway: interrupted")
	case o.checkout == "" && compiled.Load() == 0:
		return fmt.Errorf("download slipway %s: %w\n%s\nhelp: it is downloaded once for each version; check the network and GOPROXY", o, err, strings.Join(rest, "\n"))
	}
	return fmt.Errorf("build slipway %s: %w\n%s", o, err, strings.Join(rest, "\n"))
}
