package archive

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// node is a file or a folder of the tree. It is its own fs.FileInfo and fs.DirEntry.
type node struct {
	name  string
	entry *Entry // nil for a folder
	below map[string]*node
}

func newFolder(name string) *node { return &node{name: name, below: map[string]*node{}} }

// add puts an entry at a clean path. ok is false where a file stands in the way, or
// the entry is a file and a folder is there.
func (n *node) add(name string, e *Entry) (ok bool) {
	first, rest, isDeeper := strings.Cut(name, "/")
	next := n.below[first]
	switch {
	case isDeeper && next == nil:
		next = newFolder(first)
		n.below[first] = next
	case isDeeper && next.below == nil:
		return false
	case !isDeeper && e.Mode.IsDir():
		if next == nil {
			n.below[first] = newFolder(first)
		}
		return next == nil || next.below != nil
	case !isDeeper && next != nil && next.below != nil:
		return false
	case !isDeeper:
		n.below[first] = &node{name: first, entry: e}
		return true
	}
	return next.add(rest, e)
}

// find returns what is at a path, nil if nothing is.
func (n *node) find(name string) *node {
	if name == "." {
		return n
	}
	for part := range strings.SplitSeq(name, "/") {
		if n = n.below[part]; n == nil {
			return nil
		}
	}
	return n
}

// Open opens a file or a folder. A symbolic link is not opened.
func (a *Archive) Open(name string) (fs.File, error) {
	n, err := a.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.below != nil {
		return &folder{node: n, left: n.list()}, nil
	}
	e := n.entry
	var reason error
	switch {
	case e.Refusal != "":
		reason = fmt.Errorf("not read: %s", e.Refusal)
	case !e.Mode.IsRegular():
		reason = fmt.Errorf("not read: it is no regular file")
	default:
		r, err := e.file.Open()
		if err == nil {
			return &file{ReadCloser: r, node: n}, nil
		}
		reason = err
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: reason}
}

// Stat describes a file or a folder.
func (a *Archive) Stat(name string) (fs.FileInfo, error) {
	n, err := a.find("stat", name)
	if err != nil {
		return nil, err // no nil pointer in an interface
	}
	return n, nil
}

// ReadDir lists a folder, sorted by name.
func (a *Archive) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := a.find("readdir", name)
	if err != nil {
		return nil, err
	}
	if n.below == nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	return n.list(), nil
}

func (a *Archive) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if n := a.root.find(name); n != nil {
		return n, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (n *node) list() []fs.DirEntry {
	entries := make([]fs.DirEntry, 0, len(n.below))
	for _, b := range n.below {
		entries = append(entries, b)
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries
}

// Name returns the last part of the path.
func (n *node) Name() string { return path.Base(n.name) }

// Size returns the number of bytes that the zip declares; 0 for what is not read.
func (n *node) Size() int64 {
	if n.entry == nil || n.entry.Refusal != "" {
		return 0
	}
	return n.entry.Size
}

// Mode returns the type and the permissions.
func (n *node) Mode() fs.FileMode {
	if n.entry == nil {
		return fs.ModeDir | 0o755
	}
	return n.entry.Mode
}

// ModTime returns the zero time: no rule asks.
func (n *node) ModTime() time.Time { return time.Time{} }

// IsDir says whether it is a folder.
func (n *node) IsDir() bool { return n.below != nil }

// Sys returns nil.
func (n *node) Sys() any { return nil }

// Type returns the type bits of Mode.
func (n *node) Type() fs.FileMode { return n.Mode().Type() }

// Info returns the node.
func (n *node) Info() (fs.FileInfo, error) { return n, nil }

// file is an open file.
type file struct {
	io.ReadCloser
	node *node
}

// Stat describes the file.
func (f *file) Stat() (fs.FileInfo, error) { return f.node, nil }

// folder is an open folder.
type folder struct {
	node *node
	left []fs.DirEntry
}

// Stat describes the folder.
func (f *folder) Stat() (fs.FileInfo, error) { return f.node, nil }

// Read fails: a folder has no bytes.
func (f *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.node.name, Err: fs.ErrInvalid}
}

// Close does nothing.
func (f *folder) Close() error { return nil }

// ReadDir returns the next n entries, or all that are left.
func (f *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(f.left) {
		if n > 0 && len(f.left) == 0 {
			return nil, io.EOF
		}
		n = len(f.left)
	}
	next := f.left[:n]
	f.left = f.left[n:]
	return next, nil
}
