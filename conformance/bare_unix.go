//go:build unix

package conformance

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/internal/wire"
)

// bare is a process that was started with no more than the protocol asks for, and that
// nothing but the protocol ties to this one. The processes of loader end with their
// host whatever they do, with all their children; these show what they do themselves.
type bare struct {
	conn   *grpc.ClientConn
	cmd    *exec.Cmd     // the process, or the host in its place
	exited chan struct{} // cmd has ended
	gone   chan struct{} // the process has ended, and so have all its children
	err    error         // how cmd ended; read after exited
	pipes  []*os.File
	dir    string
}

// The shell that stands for a host: it starts the plugin and lives until this process
// ends, or kills it.
const hostScript = `"$0" </dev/null & read line`

// runBare starts a program and shakes hands, on request as the child of a host that can
// be killed. A reason says why that cannot be tried on this system.
func runBare(ctx context.Context, program string, withHost bool) (_ *bare, reason string, err error) {
	dir, err := os.MkdirTemp("/tmp", "slipway-bare-") // short, as the path of a socket has to be
	if err != nil {
		return nil, "", err
	}
	b := &bare{dir: dir, exited: make(chan struct{}), gone: make(chan struct{})}
	defer func() {
		if err != nil {
			b.end()
		}
	}()
	handshake := wire.Handshake()
	b.cmd = exec.Command(program)
	if withHost {
		b.cmd = exec.Command("/bin/sh", "-c", hostScript, program)
	}
	b.cmd.Dir = dir
	b.cmd.Env = []string{
		handshake.MagicCookieKey + "=" + handshake.MagicCookieValue,
		"PLUGIN_PROTOCOL_VERSIONS=" + strconv.Itoa(wire.AppProtocol), "PLUGIN_UNIX_SOCKET_DIR=" + dir,
		"PLUGIN_MIN_PORT=10000", "PLUGIN_MAX_PORT=25000",
	}
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Our end of life sees its end when the last process that has the other has ended.
	var theirs []*os.File
	pipe := func(ourEnd int) *os.File {
		r, w, e := os.Pipe()
		err = errors.Join(err, e)
		ends := [2]*os.File{r, w}
		b.pipes, theirs = append(b.pipes, ends[ourEnd]), append(theirs, ends[1-ourEnd])
		return ends[ourEnd]
	}
	stdout, stderr, life := pipe(0), pipe(0), pipe(0)
	pipe(1)
	if err != nil {
		return nil, "", err
	}
	b.cmd.Stdout, b.cmd.Stderr, b.cmd.ExtraFiles, b.cmd.Stdin = theirs[0], theirs[1], theirs[2:3], theirs[3]
	err = b.cmd.Start()
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		return nil, "", err
	}
	go func() {
		b.err = b.cmd.Wait()
		close(b.exited)
	}()
	go func() {
		_, _ = io.Copy(io.Discard, life)
		close(b.gone)
	}()
	words := &printed{}
	go func() { _, _ = io.Copy(words, stderr) }()
	address, err := shakeHands(ctx, stdout)
	if err != nil {
		if said := shorten(strings.TrimSpace(words.text()), 300); said != "" {
			err = fmt.Errorf("%w; it printed to standard error: %s", err, said)
		}
		return nil, "", err
	}
	if b.conn, err = grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		return nil, "", err
	}
	return b, "", nil
}

// shakeHands reads the line of the handshake and returns the address in it.
func shakeHands(ctx context.Context, stdout *os.File) (string, error) {
	defer context.AfterFunc(ctx, func() { _ = stdout.SetReadDeadline(time.Now()) })()
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadString('\n')
	if err != nil {
		if ctx.Err() != nil {
			return "", errors.New("no line of the handshake in time")
		}
		return "", errors.New("standard output ended without the line of the handshake")
	}
	parts := strings.Split(strings.TrimSpace(line), "|")
	if len(parts) < 5 || parts[0] != "1" || parts[1] != strconv.Itoa(wire.AppProtocol) || parts[4] != "grpc" {
		return "", fmt.Errorf("the line of the handshake is %q, and should begin like 1|%d|unix|/path/of/socket|grpc", shorten(strings.TrimSpace(line), 200), wire.AppProtocol)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	switch parts[2] {
	case "unix":
		return "unix:" + parts[3], nil
	case "tcp":
		return parts[3], nil
	}
	return "", fmt.Errorf("the handshake names the network %q, which is neither unix nor tcp", shorten(parts[2], 40))
}

// killHost kills the host and gives up all that a host has of a plugin.
func (b *bare) killHost() {
	_ = b.cmd.Process.Kill()
	<-b.exited
	_ = b.conn.Close()
	for _, f := range []int{0, 1, 3} { // all but the one that sees the end
		_ = b.pipes[f].Close()
	}
}

// end kills what is left, which is in the process group of cmd.
func (b *bare) end() {
	if b.cmd != nil && b.cmd.Process != nil {
		select {
		case <-b.gone: // the group may be that of others by now
		default:
			_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
		}
		<-b.exited
	}
	if b.conn != nil {
		_ = b.conn.Close()
	}
	for _, f := range b.pipes {
		_ = f.Close()
	}
	_ = os.RemoveAll(b.dir)
}
