package store_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testdb"
)

// envMount is set in the process that may mount a file system.
const envMount = "SLIPWAY_TEST_MOUNT"

// A host whose disk is full reports that, and after a restart, without room for any file,
// it still reads what was acknowledged. When there is room, it writes again.
func TestFullDisk(t *testing.T) {
	if testdb.IsWanted() {
		t.Skip("needs SQLite")
	}
	if os.Getenv(envMount) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDisk$", "-test.v")
		cmd.Env = append(os.Environ(), envMount+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
		out, err := cmd.CombinedOutput()
		if cmd.Process == nil || strings.Contains(string(out), "cannot mount") {
			t.Skipf("needs user namespaces that may mount a tmpfs: %v\n%s", err, out)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
		return
	}
	dir, ctx := t.TempDir(), t.Context()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("cannot mount a tmpfs: ", err)
	}
	defer func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) }()
	file, filler := filepath.Join(dir, "slipway.db"), filepath.Join(dir, "filler")
	fill := func() {
		f := must(os.OpenFile(filler, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(t)
		defer f.Close()
		for {
			if _, err := f.Write(make([]byte, 4096)); err != nil {
				return
			}
		}
	}
	s := must(store.Open(ctx, store.Options{Database: file}))(t)
	must(s.EnsureAdmin(ctx, "first password"))(t)
	var acknowledged []string
	for range 20 {
		acknowledged = append(acknowledged, must(newPlaylist(ctx, s, "before"))(t))
	}
	fill()
	var full error
	for full == nil && len(acknowledged) < 10_000 {
		uid, err := newPlaylist(ctx, s, strings.Repeat("x", 100))
		if err == nil {
			acknowledged = append(acknowledged, uid)
		}
		full = err
	}
	for what, err := range map[string]error{"write": full, "health": s.Ping(ctx)} {
		if !errors.Is(err, host.ErrFull) {
			t.Errorf("%s on a full disk: %v", what, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Log("close:", err)
	}
	if err := os.Remove(file + "-shm"); err != nil { // without it, SQLite fails to open the log on a full disk
		t.Fatal(err)
	}
	fill()
	s = must(store.Open(ctx, store.Options{Database: file}))(t)
	must(s.EnsureAdmin(ctx, "second password"))(t)
	for _, uid := range acknowledged {
		must(s.Playlist(ctx, org, uid))(t)
	}
	if err := s.Ping(ctx); !errors.Is(err, host.ErrFull) {
		t.Errorf("health after a restart on a full disk: %v", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	must(newPlaylist(ctx, s, "x"))(t)
	if err := s.Ping(ctx); err != nil {
		t.Errorf("health with room: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	check(t, file)
	t.Logf("%d acknowledged, then: %v", len(acknowledged), full)
}
