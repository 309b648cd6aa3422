package loader

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/slipway-dev/slipway/internal/process"
)

// runDir is a directory of mode 0700 for the private copies of executables and the
// sockets of processes. It is locked as long as it is in use. It is created again if a
// program that cleans up temporary files removes it.
type runDir struct {
	mu   sync.Mutex
	base string // the directory for temporary files
	dir  *process.TempDir
	lock *flock.Flock // held as long as the directory is in use
}

// maxBase is the longest temporary directory with which the path of a socket stays
// within the 104 bytes that every Unix allows.
const maxBase = 24

const (
	runDirPrefix = "slipway-"
	lockFile     = "lock"
)

// newRunDir makes a directory with a short path, and removes those of processes that were
// killed.
func newRunDir() (*runDir, error) {
	base := os.TempDir()
	if len(base) > maxBase && os.PathSeparator == '/' {
		base = "/tmp"
	}
	removeAbandoned(base)
	d := &runDir{base: base}
	if err := d.create(); err != nil {
		return nil, fmt.Errorf("make directory for plugin processes: %w", err)
	}
	return d, nil
}

// createTries is how often a new directory is made if another process removes it before it
// is locked.
const createTries = 200

// create makes the directory. If it fails, d is as before.
func (d *runDir) create() (err error) {
	for range createTries {
		if err = d.tryCreate(); !errors.Is(err, errRemoved) {
			return err
		}
	}
	return err
}

var errRemoved = errors.New("another process has removed it")

func (d *runDir) tryCreate() error {
	dir, err := process.MkdirTemp(d.base, fmt.Sprintf("%s%d-", runDirPrefix, os.Getpid()))
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir.Path(), lockFile))
	isLocked, err := lock.TryLock()
	if !dir.Exists() || err == nil && !isLocked { // see removeAbandoned
		err = errRemoved
	}
	if err != nil {
		return errors.Join(err, lock.Close(), dir.Remove())
	}
	d.dir, d.lock = dir, lock
	return nil
}

// make makes a directory of mode 0700 below d. If d has been removed or replaced,
// it makes d again under another name, since another user may have taken the old one.
func (d *runDir) make() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.dir.Exists() {
		_ = d.remove()
		if err := d.create(); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(d.dir.Path(), "")
}

// close removes the directory with everything in it, unless it was replaced.
func (d *runDir) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.remove(); err != nil {
		return fmt.Errorf("remove directory of plugin processes: %w", err)
	}
	return nil
}

func (d *runDir) remove() error { return errors.Join(d.lock.Close(), d.dir.Remove()) }

// removeAbandoned removes the directories that are not in use. The lock of a directory shows
// whether it is, even if a process in another container uses it, whose id is unknown here. A directory
// without a lock was made by an earlier version, or a moment ago.
func removeAbandoned(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, runDirPrefix+"*-*")) // fails if base looks like a bad pattern
	for _, dir := range dirs {
		id, name, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), runDirPrefix), "-")
		pid, err := strconv.Atoi(id)
		if err != nil {
			continue
		}
		// The owner may be about to lock the directory. So that it cannot succeed halfway,
		// the directory first gets a name that the owner does not know, while it is locked.
		unused := filepath.Join(base, fmt.Sprintf("%s%d-old-%s", runDirPrefix, os.Getpid(), name))
		file := filepath.Join(dir, lockFile)
		if info, err := os.Lstat(file); err == nil && info.Mode().IsRegular() {
			lock := flock.New(file, flock.SetFlag(os.O_RDWR))
			isFree, err := lock.TryLock()
			if runtime.GOOS == "windows" { // which does not rename a directory with an open file
				_ = lock.Close()
			}
			isRenamed := err == nil && isFree && os.Rename(dir, unused) == nil
			_ = lock.Close()
			if isRenamed {
				_ = process.RemoveAll(unused)
			}
		} else if info, err := os.Lstat(dir); err == nil && time.Since(info.ModTime()) > lockedWithin && !isAlive(pid) {
			_ = process.RemoveAll(dir)
		}
	}
}

// lockedWithin is how long after its creation a directory has a lock.
const lockedWithin = time.Minute

// isAlive reports whether a process with the id exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
