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
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/internal/wire/handshake"
)

// bare is a process that was started with nothing but what the protocol requires. The
// loader ties its processes and their children to the host, so that they always end
// with it; a bare process shows what a plugin does on its own.
type bare struct {
	conn   *grpc.ClientConn
	cmd    *exec.Cmd     // the process, or the host that starts it
	exited chan struct{} // cmd has ended
	gone   chan struct{} // the process has ended, and so have all its children
	err    error         // how cmd ended; read after exited
	pipes  []*os.File
	dir    string
}

// hostScript starts the plugin as a host would, and runs until this process ends or kills it.
const hostScript = `"$0" </dev/null & read line`

// runBare starts an executable, as the child of a host that can be killed if withHost is set.
func runBare(ctx context.Context, executable string, withHost bool) (_ *bare, err error) {
	dir, err := os.MkdirTemp("/tmp", "slipway-bare-") // short, since it holds a socket
	if err != nil {
		return nil, err
	}
	b := &bare{dir: dir, exited: make(chan struct{}), gone: make(chan struct{})}
	defer func() {
		if err != nil {
			b.end()
		}
	}()
	b.cmd = exec.Command(executable)
	if withHost {
		b.cmd = exec.Command("/bin/sh", "-c", hostScript, executable)
	}
	b.cmd.Dir = dir
	// Plugins that do not know PLUGIN_UNIX_SOCKET_DIR keep sockets with their temporary files.
	b.cmd.Env = append(handshake.Environ(dir), temporaryFiles(dir)...)
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// Reading from life ends when the last process that has its other end has ended.
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
		return nil, err
	}
	b.cmd.Stdout, b.cmd.Stderr, b.cmd.ExtraFiles, b.cmd.Stdin = theirs[0], theirs[1], theirs[2:3], theirs[3]
	err = b.cmd.Start()
	for _, f := range theirs {
		_ = f.Close()
	}
	if err != nil {
		return nil, err
	}
	go func() {
		b.err = b.cmd.Wait()
		close(b.exited)
	}()
	go func() {
		_, _ = io.Copy(io.Discard, life)
		close(b.gone)
	}()
	printed := &output{}
	go func() { _, _ = io.Copy(printed, stderr) }()
	address, err := readHandshake(ctx, stdout)
	if err != nil {
		if said := text.Shorten(strings.TrimSpace(printed.text()), 300); said != "" {
			err = fmt.Errorf("%w; standard error: %s", err, said)
		}
		return nil, err
	}
	if b.conn, err = grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		return nil, err
	}
	return b, nil
}

func readHandshake(ctx context.Context, stdout *os.File) (string, error) {
	defer context.AfterFunc(ctx, func() { _ = stdout.SetReadDeadline(time.Now()) })()
	reader := bufio.NewReader(stdout)
	line, err := reader.ReadString('\n')
	if err != nil {
		if ctx.Err() != nil {
			return "", errors.New("no handshake in time")
		}
		return "", errors.New("standard output ended before the handshake")
	}
	network, address, err := handshake.Parse(line)
	if err != nil {
		return "", fmt.Errorf("%q is %w", text.Shorten(strings.TrimSpace(line), 200), err)
	}
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	if network == "unix" {
		return "unix:" + address, nil
	}
	return address, nil
}

// killHost kills the host and closes everything that a host holds open.
func (b *bare) killHost() {
	_ = b.cmd.Process.Kill()
	<-b.exited
	_ = b.conn.Close()
	for _, f := range []int{0, 1, 3} { // all but life
		_ = b.pipes[f].Close()
	}
}

// end kills what is left of the process group of cmd.
func (b *bare) end() {
	if b.cmd != nil && b.cmd.Process != nil {
		select {
		case <-b.gone: // the id of the group may have been reused
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
