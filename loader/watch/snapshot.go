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
	maxLinks = 40      // that lead to one file
)

// snapshot is the state of the files below some directories at one time. Paths are as
// bundle.Discover names them: below the directory that was searched, even if a symbolic
// link leads elsewhere.
type snapshot struct {
	files map[string]os.FileInfo // what a symbolic link leads to, or the link if that is nothing
	dirs  map[string]os.FileInfo
	// outside holds the names in other directories on which files depend: the targets of
	// symbolic links, and the missing parts of the directories to search.
	outside map[string]map[string]bool
	isFull  bool // there are more files than maxFiles

	seen map[string]bool // directories by their real paths
}

func takeSnapshot(roots []string) *snapshot {
	s := &snapshot{files: map[string]os.FileInfo{}, dirs: map[string]os.FileInfo{}, outside: map[string]map[string]bool{},
		seen: map[string]bool{}}
	for _, root := range roots {
		s.follow(root)
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
	s.seen[real], s.dirs[dir] = true, info
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
	s.follow(path)
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

// follow records the directories in which a change may make a path lead elsewhere: those of the
// symbolic links on the way, of the target, and of the first part that is missing.
func (s *snapshot) follow(path string) {
	for range maxLinks {
		link, rest, err := firstLink(path)
		if err != nil || link == "" {
			if link == "" {
				link = path
			}
			s.depend(link)
			return
		}
		s.depend(link)
		target, err := os.Readlink(link)
		if err != nil {
			return
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(link), target)
		}
		path = filepath.Join(target, rest)
	}
}

func (s *snapshot) depend(path string) {
	dir := filepath.Dir(path)
	if s.outside[dir] == nil {
		s.outside[dir] = map[string]bool{}
	}
	s.outside[dir][filepath.Base(path)] = true
}

// firstLink returns the first part of a path that is a symbolic link, with what follows
// it, or "" if there is none. If a part cannot be read, it returns that part and the error.
func firstLink(path string) (link, rest string, err error) {
	volume := filepath.VolumeName(path)
	parts := strings.Split(strings.Trim(path[len(volume):], string(filepath.Separator)), string(filepath.Separator))
	link = volume + string(filepath.Separator)
	for i, part := range parts {
		link = filepath.Join(link, part)
		info, err := os.Lstat(link)
		if err != nil {
			return link, "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return link, filepath.Join(parts[i+1:]...), nil
		}
	}
	return "", "", nil
}

// isSame reports whether a file is unchanged. nil stands for a file that does not exist.
func isSame(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime())
}
