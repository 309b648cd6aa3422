package process

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// TempDir is a directory that is removed when this process ends. If the system has a POSIX
// shell, it is removed even if the process is killed.
type TempDir struct {
	path    string
	info    os.FileInfo
	release func()
}

// MkdirTemp makes a directory of mode 0700 in parent. Its name begins with prefix. The caller
// must call Remove.
func MkdirTemp(parent, prefix string) (*TempDir, error) {
	parent, err := filepath.Abs(parent)
	if err != nil {
		return nil, err
	}
	for {
		d := &TempDir{path: filepath.Join(parent, prefix+strings.ToLower(rand.Text()[:10]))}
		d.release = guardWith("dir", "gone", d.path) // before it exists: this process may be killed in between
		err := os.Mkdir(d.path, 0o700)
		if err == nil {
			d.info, err = os.Lstat(d.path)
		}
		if err == nil {
			return d, nil
		}
		d.release()
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
}

// Path returns the absolute path of the directory.
func (d *TempDir) Path() string { return d.path }

// Exists reports whether the directory has been neither removed nor replaced.
func (d *TempDir) Exists() bool {
	info, err := os.Lstat(d.path)
	return err == nil && os.SameFile(info, d.info)
}

// Remove removes the directory and everything in it, unless it has been replaced.
func (d *TempDir) Remove() error {
	if d.Exists() {
		if err := RemoveAll(d.path); err != nil {
			return err // the guard may succeed
		}
	}
	d.release()
	return nil
}

// GuardGroup arranges for a process group to be killed if this process ends before release is
// called, even if this process is killed. It needs a POSIX shell. Call release when the group
// has ended, because its number may be used again.
func GuardGroup(pid int) (release func()) {
	return guardWith("group", "ended", fmt.Sprint(pid))
}

// guardWith sends the guard a line that begins with start, and one that begins with end
// when the returned function is called.
func guardWith(start, end, what string) (release func()) {
	if strings.ContainsRune(what, '\n') {
		return func() {}
	}
	g := runningGuard()
	g.send(start + " " + what)
	return func() { g.send(end + " " + what) }
}

// guard is a shell that outlives this process, to remove what it leaves behind. The shell
// reads from a pipe that only this process can write to, so it detects the end of this
// process, regardless of the cause. A nil guard does nothing.
type guard struct {
	mu       sync.Mutex
	pipe     *os.File // never closed: the guard would act while this process still runs
	isBroken bool     // writing has failed
}

// runningGuard starts the guard of this process when it is first needed.
var runningGuard = sync.OnceValue(startGuard)

// patience is the time limit for writing a line: a stopped guard must not block this process.
const patience = time.Second

func (g *guard) send(line string) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isBroken {
		return
	}
	err := g.pipe.SetWriteDeadline(time.Now().Add(patience))
	if err == nil {
		_, err = g.pipe.WriteString(line + "\n")
	}
	g.isBroken = err != nil // half a line may have been written
}
