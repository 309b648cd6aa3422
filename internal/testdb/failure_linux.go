package testdb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Freeze stops all processes of the PostgreSQL server, as a machine that hangs does, until
// thaw is called.
func Freeze(t testing.TB) (thaw func()) {
	t.Helper()
	stopped := append([]int{postmaster(t)}, children(t)...)
	signal := func(s syscall.Signal) {
		for _, pid := range stopped {
			if err := syscall.Kill(pid, s); err != nil && err != syscall.ESRCH {
				t.Error(err)
			}
		}
	}
	signal(syscall.SIGSTOP)
	return sync.OnceFunc(func() { signal(syscall.SIGCONT) })
}

// Restart kills a process of the PostgreSQL server, which then ends all connections and
// starts again from its log. It returns when the server accepts connections. The test must
// use a database meanwhile.
func Restart(t testing.TB) {
	t.Helper()
	for range 300 {
		for _, pid := range children(t) {
			command, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			if err != nil || !strings.Contains(string(command), "slipway_") { // a connection to a database of a test
				continue
			}
			witness, err := pgx.Connect(context.Background(), address("postgres"))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			for witness.Ping(context.Background()) == nil {
				time.Sleep(time.Millisecond) // the server has not noticed yet
			}
			if err := waitUntilReady(); err != nil {
				t.Fatal(err)
			}
			return
		}
		time.Sleep(10 * time.Millisecond) // the server is still starting
	}
	t.Fatal("the server has no connections")
}

func postmaster(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv(envSocket), "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// children returns the processes that the postmaster has started.
func children(t testing.TB) (pids []int) {
	t.Helper()
	pid := postmaster(t)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	for field := range strings.FieldsSeq(string(text)) {
		child, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, child)
	}
	return pids
}
