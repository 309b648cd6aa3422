package watch

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

const (
	maxDepth = 32      // of nested directories, as in bundle.Discover
	maxFiles = 100_000 // in a snapshot
)

// snapshot is the state of the files below some directories at one time. Paths are as
// bundle.Discover names them: below the directory that was searched, even if a symbolic
// link leads elsewhere.
type snapshot struct {
	files  map[string]os.FileInfo // what a symbolic link leads to, or the link if that is nothing
	isFull bool                   // there are more files than maxFiles

	seen map[string]bool // directories by their real paths
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

// walk adds a directory, whose real path is real, as part of the tree whose real path is
// root.
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
			s.file(path, e.Info)
		}
	}
}

// isIgnored reports whether bundle.Discover skips a name.
func isIgnored(name string) bool {
	return strings.HasPrefix(name, ".") || name == "node_modules"
}

func (s *snapshot) file(path string, stat func() (os.FileInfo, error)) {
	if len(s.files) >= maxFiles {
		s.isFull = true
		return
	}
	if info, err := stat(); err == nil { // otherwise it is gone already
		s.files[path] = info
	}
}

// link adds what a symbolic link leads to. It follows links to directories as
// bundle.Discover does.
func (s *snapshot) link(path string, e fs.DirEntry, root string, depth int) {
	info, err := os.Stat(path)
	if err != nil {
		s.file(path, e.Info)
		return
	}
	if !info.IsDir() {
		s.file(path, func() (os.FileInfo, error) { return info, nil })
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
