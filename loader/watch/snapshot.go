package watch

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

const maxDepth = 32 // of nested directories, as in bundle.Discover

// snapshot is the state of the files below some directories at one time. Paths are as bundle.Discover
// names them, even if a symbolic link leads elsewhere.
type snapshot struct {
	files map[string]os.FileInfo // what a symbolic link leads to, or the link if that is nothing
	seen  map[string]bool        // directories by their real paths
}

func takeSnapshot(roots []string) *snapshot {
	s := &snapshot{files: map[string]os.FileInfo{}, seen: map[string]bool{}}
	for _, root := range roots {
		if real, err := filepath.EvalSymlinks(root); err == nil {
			s.walk(root, real, real, 0)
		}
	}
	return s
}

// walk adds a directory with a real path, in the tree with the real path root.
func (s *snapshot) walk(dir, real, root string, depth int) {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() || s.seen[real] || depth > maxDepth {
		return
	}
	s.seen[real] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // bundle.Discover reports it
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case isIgnored(e.Name()):
		case e.IsDir():
			s.walk(path, filepath.Join(real, e.Name()), root, depth+1)
		case e.Type()&fs.ModeSymlink != 0:
			s.link(path, e, root, depth)
		default:
			if info, err := e.Info(); err == nil { // otherwise it is gone already
				s.files[path] = info
			}
		}
	}
}

// isIgnored reports whether bundle.Discover skips a name.
func isIgnored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

// link adds what a symbolic link leads to, as bundle.Discover does.
func (s *snapshot) link(path string, e fs.DirEntry, root string, depth int) {
	info, err := os.Stat(path)
	if err != nil {
		info, err = e.Info() // it leads nowhere
	}
	if err == nil && !info.IsDir() {
		s.files[path] = info
	}
	if err != nil || !info.IsDir() {
		return
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return
	}
	if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) {
		if _, err := bundle.OpenRepo(real); err != nil {
			return
		}
		root = real
	}
	s.walk(path, real, root, depth+1)
}

// isSame reports whether a file is unchanged. nil stands for a file that does not exist.
func isSame(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}

// settling distinguishes complete changes from those in progress: a file is reported once it
// has not changed for some time.
type settling struct {
	reported map[string]os.FileInfo
	pending  map[string]pending
	after    time.Duration
}

type pending struct {
	info  os.FileInfo // nil if the file is gone
	since time.Time
}

// compare returns, sorted, the files whose changes are complete, and those that still change.
func (s *settling) compare(files map[string]os.FileInfo, now time.Time) (changed, moving []string) {
	paths := maps.Clone(s.reported)
	maps.Copy(paths, files)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		info := files[path]
		if isSame(s.reported[path], info) {
			if _, ok := s.pending[path]; ok { // it changed back, but it was reported as moving
				changed = append(changed, path)
				delete(s.pending, path)
			}
			continue
		}
		p, ok := s.pending[path]
		if !ok || !isSame(p.info, info) {
			p = pending{info, now}
			s.pending[path] = p
		}
		if now.Sub(p.since) < s.after {
			moving = append(moving, path)
			continue
		}
		changed = append(changed, path)
		delete(s.pending, path)
		s.reported[path] = info
		if info == nil {
			delete(s.reported, path)
		}
	}
	return changed, moving
}
