package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/slipway-dev/slipway/internal/process"
)

// runDir is a locked directory of mode 0700 for the copies of executables and the sockets of
// processes. It is created again if a program that cleans up temporary files removes it.
type runDir struct {
	mu   sync.Mutex
	base string // the directory for temporary files
	path string
	info os.FileInfo // of path when it was made
	lock *flock.Flock
}

const (
	runDirPrefix = "slipway-"
	lockFile     = "lock"
)

// newRunDir makes a directory with a short path, and removes those of killed processes.
func newRunDir() (*runDir, error) {
	base := process.TempDir()
	removeAbandoned(base)
	d := &runDir{base: base}
	if err := d.create(); err != nil {
		return nil, fmt.Errorf("make directory for plugin processes: %w", err)
	}
	return d, nil
}

// create makes the directory. If it fails, d is as before.
func (d *runDir) create() error {
	path, err := os.MkdirTemp(d.base, fmt.Sprintf("%s%d-", runDirPrefix, os.Getpid()))
	if err != nil {
		return err
	}
	info, err := os.Lstat(path)
	lock := flock.New(filepath.Join(path, lockFile))
	if err == nil {
		err = lock.Lock()
	}
	if err != nil {
		return errors.Join(err, lock.Close(), os.RemoveAll(path))
	}
	d.path, d.info, d.lock = path, info, lock
	return nil
}

// exists reports whether the directory has been neither removed nor replaced.
func (d *runDir) exists() bool {
	info, err := os.Lstat(d.path)
	return err == nil && os.SameFile(info, d.info)
}

// make makes a directory of mode 0700 below d. If d has been removed or replaced,
// it makes d again under another name, since another user may have taken the old one.
func (d *runDir) make() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.exists() {
		_ = d.lock.Close()
		if err := d.create(); err != nil {
			return "", err
		}
	}
	return os.MkdirTemp(d.path, "")
}

// close removes the directory with everything in it, unless it was replaced.
func (d *runDir) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	err := d.lock.Close()
	if d.exists() {
		err = errors.Join(err, process.RemoveAll(d.path))
	}
	if err != nil {
		return fmt.Errorf("remove directory of plugin processes: %w", err)
	}
	return nil
}

// lockedWithin is how long after its creation a directory has a lock.
const lockedWithin = time.Minute

// removeAbandoned removes the directories that are not in use. The lock of a directory shows
// whether it is, even if a process in another container uses it.
func removeAbandoned(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, runDirPrefix+"[0-9]*-*")) // fails if base looks like a bad pattern
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < lockedWithin {
			continue
		}
		file := filepath.Join(dir, lockFile)
		isAbandoned := false
		switch info, err := os.Lstat(file); {
		case errors.Is(err, fs.ErrNotExist):
			isAbandoned = true
		case err == nil && info.Mode().IsRegular():
			lock := flock.New(file, flock.SetFlag(os.O_RDWR))
			isAbandoned, _ = lock.TryLock()
			_ = lock.Close()
		}
		if isAbandoned {
			_ = process.RemoveAll(dir)
		}
	}
}
