package zipfs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// node is a file or directory. It implements fs.FileInfo.
type node struct {
	name  string
	entry *Entry // nil for a directory
	below map[string]*node
}

func newDirectory(name string) *node { return &node{name: name, below: map[string]*node{}} }

// add adds an entry at a clean path. ok is false if one of its directories is a file in
// the tree, or if a file would replace a directory.
func (n *node) add(name string, e *Entry) (ok bool) {
	first, rest, isDeeper := strings.Cut(name, "/")
	next := n.below[first]
	switch {
	case isDeeper && next == nil:
		next = newDirectory(first)
		n.below[first] = next
	case isDeeper && next.below == nil:
		return false
	case !isDeeper && e.Mode.IsDir():
		if next == nil {
			n.below[first] = newDirectory(first)
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

// Open opens a file or directory. It does not open symbolic links.
func (a *Archive) Open(name string) (fs.File, error) {
	n, err := a.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.below != nil {
		return &directory{node: n, left: n.list()}, nil
	}
	e := n.entry
	var reason error
	switch {
	case e.Refusal != "":
		reason = fmt.Errorf("not read: %s", e.Refusal)
	case !e.Mode.IsRegular():
		reason = errors.New("not read: not a regular file")
	default:
		r, err := e.file.Open()
		if err == nil {
			return &file{ReadCloser: r, node: n}, nil
		}
		reason = err
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: reason}
}

// Stat returns the fs.FileInfo of a file or directory.
func (a *Archive) Stat(name string) (fs.FileInfo, error) {
	n, err := a.find("stat", name)
	if err != nil {
		return nil, err // not n, a nil pointer in a non-nil interface
	}
	return n, nil
}

// ReadDir returns the entries of a directory, sorted by name.
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
		entries = append(entries, fs.FileInfoToDirEntry(b))
	}
	slices.SortFunc(entries, func(x, y fs.DirEntry) int { return strings.Compare(x.Name(), y.Name()) })
	return entries
}

// Name returns the last element of the path.
func (n *node) Name() string { return path.Base(n.name) }

// Size returns the declared number of bytes, or 0 if the entry is not read.
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

// ModTime returns the zero time, since no rule needs it.
func (n *node) ModTime() time.Time { return time.Time{} }

// IsDir reports whether the node is a directory.
func (n *node) IsDir() bool { return n.below != nil }

// Sys returns nil.
func (n *node) Sys() any { return nil }

type file struct {
	io.ReadCloser
	node *node
}

// Stat returns the node.
func (f *file) Stat() (fs.FileInfo, error) { return f.node, nil }

type directory struct {
	node *node
	left []fs.DirEntry
}

// Stat returns the node.
func (d *directory) Stat() (fs.FileInfo, error) { return d.node, nil }

// Read returns an error.
func (d *directory) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: fs.ErrInvalid}
}

// Close does nothing.
func (d *directory) Close() error { return nil }

// ReadDir returns the next n entries, or the remaining ones if n is not positive.
func (d *directory) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(d.left) {
		if n > 0 && len(d.left) == 0 {
			return nil, io.EOF
		}
		n = len(d.left)
	}
	next := d.left[:n]
	d.left = d.left[n:]
	return next, nil
}
