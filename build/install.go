package build

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// Changes are the parts of dist that a build has changed.
type Changes struct {
	Backend  bool
	Frontend bool // module.js and what it loads
	Assets   bool
	Metadata bool // plugin.json
	// Compiling is the time that the go command took.
	Compiling time.Duration
}

// Names returns the names of the parts that have changed, never nil.
func (c Changes) Names() []string {
	names := []string{}
	for _, part := range []struct {
		name    string
		changed bool
	}{{"backend", c.Backend}, {"frontend", c.Frontend}, {"assets", c.Assets}, {"metadata", c.Metadata}} {
		if part.changed {
			names = append(names, part.name)
		}
	}
	return names
}

// compare finds what install has to do.
func (p *Plan) compare(_ context.Context, staging string, r *Result) (err error) {
	if r.changed, r.removed, err = p.differences(staging, r.foreign); err != nil {
		return fmt.Errorf("compare with dist: %w", err)
	}
	for _, name := range slices.Concat(r.changed, r.removed) {
		switch {
		case path.Base(name) == bundle.MetadataFile:
			r.Changes.Metadata = true
		case slices.Contains(r.bundled, name) || path.Base(name) == "module.js":
			r.Changes.Frontend = true
		case p.isOfBackend(name):
			r.Changes.Backend = true
		default:
			r.Changes.Assets = true
		}
	}
	return nil
}

// differences lists the files of a directory that dist does not have, in the order in which
// to install them, and the files that only dist has, without the foreign ones.
func (p *Plan) differences(dir string, foreign []string) (changed, removed []string, err error) {
	states, err := fileStates(dir)
	if err != nil {
		return nil, nil, err
	}
	inDist := map[string]bool{}
	err = p.walkDist(func(name, _ string) error {
		inDist[name] = true
		if _, ok := states[name]; !ok && !slices.Contains(foreign, name) {
			removed = append(removed, name)
		}
		return nil
	})
	for name := range states {
		if !inDist[name] || !isSame(filepath.Join(dir, filepath.FromSlash(name)), p.inDist(name)) {
			changed = append(changed, name)
		}
	}
	slices.SortFunc(changed, inOrder)
	return changed, removed, err
}

// inOrder orders the files of a build: module.js after what it loads, and plugin.json, which names all, last.
func inOrder(a, b string) int {
	rank := func(file string) int {
		return slices.Index([]string{"module.js", bundle.MetadataFile}, path.Base(file))
	}
	if d := rank(a) - rank(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// The suffixes of the links to the dist before an installation: incomplete, complete, and obsolete.
const (
	linkingSuffix  = "-linking"
	previousSuffix = "-previous"
	oldSuffix      = "-old"

	nextSuffix = "-next" // of a link that becomes a file of dist
)

// install replaces the files of dist that have changed, each atomically: a host may serve dist. If that fails, it
// restores the previous dist; if the build is killed, the next one does.
func (p *Plan) install(_ context.Context, staging string, r *Result) error {
	if len(r.changed)+len(r.removed) == 0 {
		return nil
	}
	linking, previous := staging+linkingSuffix, staging+previousSuffix
	err := os.Mkdir(linking, 0o755)
	if err == nil {
		err = p.walkDist(func(name, file string) error { return keepFile(file, filepath.Join(linking, filepath.FromSlash(name))) })
	}
	if err == nil {
		err = os.Rename(linking, previous)
	}
	if err != nil {
		_ = os.RemoveAll(linking)
		return notReplaced(err)
	}
	if err := p.replace(staging, r.changed, r.removed); err != nil {
		return errors.Join(notReplaced(err), p.undo(previous))
	}
	return discard(previous)
}

// notReplaced returns the error of install, with its probable reason.
func notReplaced(err error) error {
	switch {
	case runtime.GOOS == "windows":
		return fmt.Errorf("replace dist: is an executable in it running? %w", err)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("replace dist: %w: is it read-only, or did a container write it as another user? delete it", err)
	}
	return fmt.Errorf("replace dist: %w", err)
}

// replace removes files of dist, and adds those of a directory, which keeps them to begin again if interrupted.
func (p *Plan) replace(from string, changed, removed []string) error {
	if info, err := os.Lstat(p.Repo.Dist); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(p.Repo.Dist); err != nil { // what it points to stays
			return err
		}
	}
	for _, name := range removed {
		if err := os.Remove(p.inDist(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			if os.Remove(p.inDist(parent)) != nil {
				break // not empty
			}
		}
	}
	for _, name := range changed {
		dir := path.Dir(name)
		at, err := atomicfile.Below(p.Repo.Root, path.Join(bundle.DistDir, dir))
		if err == nil {
			err = os.MkdirAll(at, 0o755)
		}
		if err != nil {
			return err
		}
		for ; ; dir = path.Dir(dir) { // whatever the umask is
			if _ = os.Chmod(p.inDist(dir), 0o755); dir == "." {
				break
			}
		}
		next := from + nextSuffix
		_ = os.Remove(next) // of a build that was killed
		err = keepFile(filepath.Join(from, filepath.FromSlash(name)), next)
		if err == nil {
			err = os.Rename(next, p.inDist(name))
		}
		if err != nil {
			_ = os.Remove(next)
			return err
		}
	}
	return nil
}

// recover restores the dist of a build that was killed while it replaced files of dist, or
// while the repository's own bundler wrote to it.
func (p *Plan) recover() error {
	for _, aside := range leftovers(p.Repo.Root, asideSuffix) {
		if err := p.restore(aside); err != nil {
			return err
		}
	}
	for _, previous := range leftovers(p.Repo.Root, previousSuffix) {
		if err := p.undo(previous); err != nil {
			return err
		}
	}
	return nil
}

// undo makes dist what it was before an installation.
func (p *Plan) undo(previous string) error {
	changed, removed, err := p.differences(previous, nil)
	if err == nil {
		err = p.replace(previous, changed, removed)
	}
	if err != nil {
		return fmt.Errorf("restore the previous dist: %w", err)
	}
	_ = os.Remove(p.Repo.Dist) // succeeds only if there was none
	return discard(previous)
}

// discard removes the links to a dist. If that is interrupted, they are of no use any more.
func discard(previous string) error {
	old := strings.TrimSuffix(previous, previousSuffix) + oldSuffix
	if err := os.Rename(previous, old); err != nil {
		return fmt.Errorf("finish the build: %w", err)
	}
	_ = os.RemoveAll(old) // a later sweep removes what is left
	return nil
}

// leftovers lists the directories that builds work in and whose names have a suffix.
func leftovers(root, suffix string) (dirs []string) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), stagingPrefix) && strings.HasSuffix(e.Name(), suffix) {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	return dirs
}

// isSame reports whether two files have the same contents and mode.
func isSame(a, b string) bool {
	one, err := os.Stat(a)
	two, errB := os.Stat(b)
	if err != nil || errB != nil || one.Mode() != two.Mode() {
		return false
	}
	same, err := sameContents(a, b)
	return err == nil && same
}

// sameContents reports whether two regular files have the same contents. The second may
// be missing.
func sameContents(a, b string) (bool, error) {
	infoA, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	infoB, err := os.Lstat(b)
	if err != nil || !infoA.Mode().IsRegular() || !infoB.Mode().IsRegular() || infoA.Size() != infoB.Size() {
		return false, nil
	}
	if os.SameFile(infoA, infoB) {
		return true, nil
	}
	textA, err := os.ReadFile(a)
	textB, errB := os.ReadFile(b)
	return bytes.Equal(textA, textB), cmp.Or(err, errB)
}

// keepFile links or copies a file or a symbolic link.
func keepFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		return linkOrCopy(from, to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return os.Link(from, to) // a pipe, which must not be opened
	}
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}

// linkOrCopy makes a hard link to a file, or a copy with its time if that is not possible.
func linkOrCopy(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	info, err := os.Stat(from)
	if err == nil {
		err = copyFile(from, to)
	}
	if err == nil {
		err = os.Chtimes(to, time.Time{}, info.ModTime())
	}
	return err
}

// copyFile copies the contents of a file and whether it is executable.
func copyFile(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err == nil {
		err = writeFile(to, text)
	}
	if err == nil && info.Mode()&0o100 != 0 {
		err = os.Chmod(to, 0o755)
	}
	return err
}

// writeFile writes a file and makes its directory.
func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
