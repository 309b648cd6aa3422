package build

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

// probeTimeout limits how long a backend may take to start and to respond.
const probeTimeout = 30 * time.Second

// checkBackends starts each executable for this machine that was compiled anew, as hosts
// do, and requires that it completes the handshake and reports that it is serving.
func (p *Plan) checkBackends(ctx context.Context, staging string, r *Result) error {
	for i, e := range r.Executables {
		if !e.isNew || e.Platform != bundle.Host() || p.options.Backend.SkipCheck {
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

// probe starts an executable, reads its handshake and asks for its health. The process and
// what it writes to its temporary directory are gone when probe returns.
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
	err = handshake(limited, out)
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
	case errors.Is(err, io.EOF):
		err = fmt.Errorf("it ended before the handshake (%s): main must call Serve, which returns when the host stops the plugin", cmd.ProcessState)
	}
	if text := stderr.String(); text != "" {
		err = fmt.Errorf("%w\n  standard error:\n    %s", err, strings.ReplaceAll(text, "\n", "\n    "))
	}
	return err
}

// probeEnviron returns what hosts set in the environment of a backend.
func probeEnviron(environ []string, dir string) []string {
	env := []string{
		"grafana_plugin_type=datasource", "PLUGIN_PROTOCOL_VERSIONS=2", "PLUGIN_MIN_PORT=10000", "PLUGIN_MAX_PORT=25000",
		"PLUGIN_UNIX_SOCKET_DIR=" + dir, "TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir,
	}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"PATH", "HOME", "LANG", "TZ", "SYSTEMROOT", "SYSTEMDRIVE", "USERPROFILE"}, strings.ToUpper(name)) {
			env = append(env, entry)
		}
	}
	return env
}

// handshake reads the handshake of a backend and asks it for its health. The error is
// io.EOF if the output ends before the handshake.
func handshake(ctx context.Context, stdout io.Reader) error {
	const maxLine = 4096
	line, err := bufio.NewReader(io.LimitReader(stdout, maxLine)).ReadString('\n')
	if err != nil && len(line) < maxLine {
		return io.EOF
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }() // until the process has ended
	fields := strings.Split(strings.TrimSpace(line), "|")
	if len(fields) < 5 || fields[2] != "unix" && fields[2] != "tcp" {
		return fmt.Errorf("it printed %s to standard output before the handshake: write to standard error instead, since hosts read the first line of standard output as the handshake", quoted(line))
	}
	if fields[0] != "1" || fields[1] != "2" || fields[4] != "grpc" {
		return fmt.Errorf("its handshake %s is for another protocol: hosts need 1|2|...|grpc", quoted(line))
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, fields[2], fields[3])
	if err != nil {
		return fmt.Errorf("connect to the address of its handshake: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if at, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(at)
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := checkHealth(conn); err != nil {
		return fmt.Errorf("it completed the handshake, but its health check failed: %w", err)
	}
	return nil
}

// quoted returns the beginning of a line, quoted.
func quoted(line string) string {
	const most = 80
	if line = strings.TrimRight(line, "\r\n"); len(line) > most {
		return fmt.Sprintf("%q...", line[:most])
	}
	return fmt.Sprintf("%q", line)
}

// The frames of HTTP/2 (RFC 9113) that a unary call needs.
const (
	frameData     = 0
	frameHeaders  = 1
	frameReset    = 3
	frameSettings = 4
	framePing     = 6
	frameGoAway   = 7

	flagEnd        = 1 // of a stream; of a settings or ping frame: acknowledgement
	flagEndHeaders = 4
)

// checkHealth calls grpc.health.v1.Health/Check for the service "plugin", as hosts do.
// It writes the frames itself: a gRPC library would have to be compiled for the first run
// of Mage in every plugin repository.
func checkHealth(conn io.ReadWriter) error {
	request := []byte("\x00\x00\x00\x00\x08\x0a\x06plugin") // uncompressed, 8 bytes: field 1 is "plugin"
	serving := []byte("\x00\x00\x00\x00\x02\x08\x01")       // uncompressed, 2 bytes: field 1 is SERVING
	call := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	call = appendFrame(call, frameSettings, 0, 0, nil)
	call = appendFrame(call, frameHeaders, flagEndHeaders, 1, headerBlock(
		":method", "POST", ":scheme", "http", ":path", "/grpc.health.v1.Health/Check", ":authority", "localhost",
		"content-type", "application/grpc", "te", "trailers"))
	call = appendFrame(call, frameData, flagEnd, 1, request)
	if _, err := conn.Write(call); err != nil {
		return err
	}
	var response []byte
	for len(response) <= len(serving) {
		kind, flags, payload, err := readFrame(conn)
		if err != nil {
			return err
		}
		switch kind {
		case frameSettings, framePing:
			if flags&flagEnd == 0 {
				if kind == frameSettings {
					payload = nil
				}
				if _, err := conn.Write(appendFrame(nil, kind, flagEnd, 0, payload)); err != nil {
					return err
				}
			}
		case frameReset, frameGoAway:
			return errors.New("it refused the call")
		case frameData, frameHeaders: // only of our stream
			if kind == frameData {
				response = append(response, payload...)
			}
			if flags&flagEnd == 0 {
				continue
			}
			if bytes.Equal(response, serving) {
				return nil
			}
			return errors.New("the service \"plugin\" is not serving")
		}
	}
	return errors.New("unexpected response")
}

// headerBlock encodes pairs of names and values of up to 126 bytes as literals without
// indexing (RFC 7541, section 6.2.2).
func headerBlock(pairs ...string) (block []byte) {
	for i, s := range pairs {
		if i%2 == 0 {
			block = append(block, 0)
		}
		block = append(append(block, byte(len(s))), s...)
	}
	return block
}

func appendFrame(b []byte, kind, flags byte, stream uint32, payload []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(payload))<<8|uint32(kind))
	b = binary.BigEndian.AppendUint32(append(b, flags), stream)
	return append(b, payload...)
}

// readFrame reads a frame of at most 16 KiB, the limit of HTTP/2 unless both sides agree
// on another.
func readFrame(r io.Reader) (kind, flags byte, payload []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, nil, fmt.Errorf("read response: %w", err)
	}
	length := binary.BigEndian.Uint32(head[:]) >> 8
	if length > 16<<10 {
		return 0, 0, nil, errors.New("the response is not HTTP/2")
	}
	payload = make([]byte, length)
	if _, err := io.ReadFull(r, payload); err != nil {
		return 0, 0, nil, fmt.Errorf("read response: %w", err)
	}
	return head[3], head[4], payload, nil
}
