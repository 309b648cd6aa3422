//go:build unix

package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test executable act as a process that is killed while it has
// directories and a process group. It prints what it has.
func TestMain(m *testing.M) {
	parent := os.Getenv("TEST_GUARD")
	if parent == "" {
		os.Exit(m.Run())
	}
	removed, err := MkdirTemp(parent, "removed-")
	if err != nil {
		panic(err)
	}
	left, err := MkdirTemp(parent, "left 'behind' $x-")
	if err != nil {
		panic(err)
	}
	if err := removed.Remove(); err != nil {
		panic(err)
	}
	if err := os.Mkdir(removed.Path(), 0o700); err != nil { // by someone else
		panic(err)
	}
	// Both groups have children, which have no parent death signal.
	started := func() int {
		cmd := exec.Command("sh", "-c", "sleep 1000 & wait")
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		return cmd.Process.Pid
	}
	guarded, released := started(), started()
	GuardGroup(guarded)
	GuardGroup(released)()
	fmt.Printf("%d %d %s\n", guarded, released, left.Path())
	select {}
}

// A process that is killed leaves behind what it released, and nothing else.
func TestGuard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TEST_GUARD="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var guarded, released int
	if _, scanErr := fmt.Sscan(line, &guarded, &released); err != nil || scanErr != nil {
		t.Fatalf("%q: %v, %v", line, err, scanErr)
	}
	defer EndGroup(released)
	left := strings.TrimSpace(line[strings.Index(line, dir):])
	if info, err := os.Stat(left); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		_, err := os.Stat(left)
		if errors.Is(err, fs.ErrNotExist) && !isGroup(guarded) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %s (%v), group %d: %t", left, err, guarded, isGroup(guarded))
		}
	}
	if list, err := filepath.Glob(filepath.Join(dir, "removed-*")); len(list) != 1 || err != nil {
		t.Errorf("a directory that was released is gone: %q, %v", list, err)
	}
	if !isGroup(released) {
		t.Error("a group that was released was killed")
	}
}

// A guard that does not read in time is not told that this process has ended: it would kill
// groups that still run when it continues.
func TestGuardThatIsStopped(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	g := &guard{pipe: w}
	const capacity = 1 << 20 // at least that of a pipe
	g.send(strings.Repeat("x", capacity))
	g.send("not sent")
	if !g.isBroken {
		t.Fatal("a pipe holds all that was sent")
	}
	if err := r.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); !errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(string(text), "not") {
		t.Errorf("the guard reads %d bytes and %v", len(text), err)
	}
}

// isGroup reports whether a process group has a member that still runs.
func isGroup(pgid int) bool {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(files) == 0 {
		return syscall.Kill(-pgid, 0) == nil
	}
	for _, file := range files {
		text, _ := os.ReadFile(file)
		_, after, _ := strings.Cut(string(text), ") ")
		var state string
		var parent, group int
		if _, err := fmt.Sscan(after, &state, &parent, &group); err == nil && group == pgid && state != "Z" {
			return true
		}
	}
	return false
}
