package build

import (
	"bufio"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

// probeTimeout limits how long a backend may take to start and to respond.
const probeTimeout = 30 * time.Second

// checkBackends requires of each new executable for this machine that it completes the handshake, as for hosts.
func (p *Plan) checkBackends(ctx context.Context, staging string, r *Result) error {
	for i, e := range r.Executables {
		if e.UpToDate || e.Platform != bundle.Host() || p.options.Backend.SkipCheck {
			continue
		}
		file := filepath.Join(staging, filepath.FromSlash(p.Commands[i].Output))
		if err := probe(ctx, file, p.options.Environ, probeTimeout); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("hosts could not run %s: %w\n  dist is unchanged; to skip this check, set backend.check to false in slipway.yaml", e.File, err)
		}
	}
	return nil
}

// probe starts an executable and reads its handshake, and leaves no process and no files.
func probe(ctx context.Context, file string, environ []string, timeout time.Duration) error {
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		return fmt.Errorf("make a directory for its socket: %w", err)
	}
	defer func() { _ = process.RemoveAll(dir) }()
	out, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// A process that the backend left behind may keep the pipe open.
	defer context.AfterFunc(limited, func() { _ = out.SetReadDeadline(time.Now()) })()
	stderr := &tail{}
	cmd := exec.CommandContext(limited, file)
	cmd.Dir, cmd.Env = dir, probeEnviron(environ, dir)
	cmd.Stdout, cmd.Stderr = w, stderr
	ended := make(chan error, 1)
	go func() {
		err := process.Run(cmd, 0)
		_ = w.Close() // ends the reading
		ended <- err
	}()
	err = readHandshake(out)
	isLate := limited.Err() != nil
	cancel()
	exit := <-ended
	switch {
	case err == nil:
		return nil
	case isLate:
		err = fmt.Errorf("it did not respond within %s: call Serve before anything that takes a long time", timeout)
	case errors.Is(err, io.EOF) && cmd.ProcessState == nil:
		err = fmt.Errorf("it cannot be started: %w", exit)
	case errors.Is(err, io.EOF) && crash(file, stderr.String()) != "":
		err = fmt.Errorf("it crashed before the handshake (%s): %s", cmd.ProcessState, crash(file, stderr.String()))
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("it ended before the handshake (%s): main must call Serve, which returns when the host stops the plugin", cmd.ProcessState)
	}
	if text := stderr.String(); text != "" {
		err = fmt.Errorf("%w\n  standard error:\n    %s", err, strings.ReplaceAll(text, "\n", "\n    "))
	}
	return err
}

// crash returns the first line of a panic in an output, with its place in the plugin's own code, or "".
func crash(file, output string) string {
	for line := range strings.Lines(output) {
		if !text.IsPanic(line) {
			continue
		}
		line = strings.TrimSpace(line)
		_, place := text.OwnFrames(output)
		if info, err := buildinfo.ReadFile(file); err == nil {
			place = strings.TrimPrefix(place, info.Main.Path+"/")
		}
		if place != "" {
			line += " (" + place + ")"
		}
		return line
	}
	return ""
}

// probeEnviron returns what hosts set in the environment of a backend.
func probeEnviron(environ []string, dir string) []string {
	env := append(handshake.Environ(dir), "TMPDIR="+dir, "TMP="+dir, "TEMP="+dir)
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"PATH", "HOME", "LANG", "TZ", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE"}, strings.ToUpper(name)) {
			env = append(env, entry)
		}
	}
	return env
}

// readHandshake reads the handshake of a backend, which then serves. Without one, the error is io.EOF.
func readHandshake(stdout io.Reader) error {
	const maxLine = 4096
	line, err := bufio.NewReader(io.LimitReader(stdout, maxLine)).ReadString('\n')
	if err != nil && len(line) < maxLine {
		return io.EOF
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }() // until the process has ended
	switch _, _, err := handshake.Parse(line); {
	case errors.Is(err, handshake.ErrProtocol):
		return fmt.Errorf("it printed %s, %w", quoted(line), err)
	case err != nil:
		return fmt.Errorf("it printed %s to standard output before the handshake: write to standard error instead, since hosts read the "+
			"first line of standard output as the handshake", quoted(line))
	}
	return nil
}

// quoted returns the beginning of a line, quoted.
func quoted(line string) string {
	return fmt.Sprintf("%q", text.Shorten(strings.TrimRight(line, "\r\n"), 80))
}
