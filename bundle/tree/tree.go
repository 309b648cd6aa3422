// Package tree shows a directory as an fs.FS in which no path leads out of a boundary.
//
// Symbolic links that stay within the boundary are followed; any other path is
// ErrOutside. A tree of the file system is read through an os.Root of the boundary, so
// that a link that is replaced while it is read cannot lead out either. Code that
// reads through a Tree needs no further checks.
package tree

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// ErrOutside is the error for a symbolic link that leads out of the boundary, or into the
// data of Git, which may contain credentials.
var ErrOutside = errors.New("it is a symbolic link that leaves the repository")

// ErrIrregular is the error for opening a named pipe, a socket or a device. Opening one
// may block or have side effects.
var ErrIrregular = errors.New("it is not a regular file")

// Tree is a file tree with a boundary.
type Tree struct {
	fs     fs.FS    // of the boundary
	root   *os.Root // of the boundary; nil if fs is not the file system
	up     string   // slash path of the tree in fs; "." unless the boundary is around the tree
	down   string   // slash path of fs in the tree; "." unless the boundary is inside the tree
	isRepo bool     // the boundary is a Git repository

	directories  sync.Map     // paths in fs to what they lead to
	repositories sync.Map     // directories in the tree to whether they have a .git
	listed       *sync.Map    // directories in fs to their entries; nil if it does not keep them
	described    *sync.Map    // other paths in fs to what they are; nil unless the tree is confined
	entries      atomic.Int64 // in listed

	outer *Tree  // that this one was confined from, or nil
	base  string // slash path of fs in the fs of outer
}

// maxEntries is the number of entries that a tree keeps unless it is confined.
const maxEntries = 1 << 16

// New returns a tree of another file system. Its boundary is the whole of fsys.
func New(fsys fs.FS) *Tree {
	if t, ok := fsys.(*Tree); ok {
		return t
	}
	return &Tree{fs: fsys, up: ".", down: "."}
}

// Keep returns the same tree for a single run: it keeps what it lists, also for the trees
// that it confines. It is closed with t.
func (t *Tree) Keep() *Tree {
	return &Tree{fs: t.fs, root: t.root, up: t.up, down: t.down, isRepo: t.isRepo, listed: new(sync.Map)}
}

// Open returns the tree of a directory. Its boundary is the Git repository around the
// directory, or else its Home. The caller must close the tree.
func Open(dir string) (*Tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	boundary, isRepo := Boundary(dir)
	rel, err := filepath.Rel(boundary, dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(boundary)
	if err != nil {
		return nil, err
	}
	return &Tree{fs: root.FS(), root: root, up: filepath.ToSlash(rel), down: ".", isRepo: isRepo}, nil
}

// Boundary returns the directory that links in dir must not leave: the Git repository
// around dir, unless that is a home directory, or else the plugin repository: the
// directory that contains src, or dir. The path must be absolute.
func Boundary(dir string) (boundary string, isRepo bool) {
	home, _ := os.UserHomeDir()
	for at := dir; at != filepath.Dir(at) && at != home; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, gitDir)); err == nil {
			return at, true
		}
	}
	if above := filepath.Dir(dir); filepath.Base(dir) == sourceDir && above != home && above != filepath.Dir(above) {
		return above, false
	}
	return dir, false
}

// Destination reports whether a file or directory that is about to be written is part of a Git repository. It is an
// error if a symbolic link of the repository is on the way to it.
func Destination(name string) (isRepo bool, err error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return false, err
	}
	boundary, isRepo := Boundary(filepath.Dir(abs))
	if isRepo {
		_, err = atomicfile.Below(boundary, Below(filepath.ToSlash(boundary), filepath.ToSlash(abs)))
	}
	return isRepo, err
}

const (
	gitDir    = ".git"
	sourceDir = "src" // where plugin repositories keep plugin.json
)

// Close closes the directory of the boundary.
func (t *Tree) Close() error {
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// Confine returns the tree with the boundary of the plugin in dir, which is never wider
// than that of t: dir itself if the plugin is built, and otherwise the repository around
// it. The caller must close it.
func (t *Tree) Confine(dir string, isBuilt bool) (fs.FS, error) {
	at, isRepo := dir, false
	if !isBuilt {
		at, isRepo = t.repository(dir)
	}
	name, err := t.locate("open", at)
	if err != nil {
		return nil, err
	}
	if name, err = t.directory(name, new(int)); err != nil {
		return nil, err
	}
	if name == "." || at == "." && !isBuilt { // the boundary of t
		name, at = ".", t.down
	}
	c := &Tree{up: ".", down: at, isRepo: isRepo, listed: new(sync.Map), described: new(sync.Map), outer: t, base: name}
	c.directories.Store(".", ".")
	if at == t.down {
		c.up = t.up
	}
	if t.root == nil {
		if c.fs = t.fs; name != "." {
			c.fs, err = fs.Sub(t.fs, name)
		}
		return c, err
	}
	if c.root, err = t.root.OpenRoot(filepath.FromSlash(name)); err != nil {
		return nil, err
	}
	c.fs = c.root.FS()
	return c, nil
}

// repository returns the directory of the Git or plugin repository around dir.
func (t *Tree) repository(dir string) (at string, isRepo bool) {
	for at = dir; ; at = path.Dir(at) {
		if t.isRepository(at) {
			return at, true
		}
		if at == t.down || at == "." {
			break
		}
	}
	switch {
	case t.isRepo:
		return t.down, true
	case path.Base(dir) == sourceDir && dir != t.down:
		return path.Dir(dir), false
	}
	return dir, false
}

// isRepository reports whether a directory has a .git. Every plugin asks about the
// directories around it, so the answers are kept.
func (t *Tree) isRepository(dir string) bool {
	if is, ok := t.repositories.Load(dir); ok {
		return is.(bool)
	}
	_, err := t.Lstat(path.Join(dir, gitDir))
	t.repositories.Store(dir, err == nil)
	return err == nil
}

// locate returns the path in t.fs of a path in the tree.
func (t *Tree) locate(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if !IsInside(t.down, name) {
		return "", &fs.PathError{Op: op, Path: name, Err: ErrOutside}
	}
	name = cmp.Or(Below(t.down, name), ".")
	if t.up == "." {
		return name, nil
	}
	return path.Join(t.up, name), nil
}

// resolve returns the path in t.fs that a path in the tree leads to, and describes it.
func (t *Tree) resolve(op, name string) (string, fs.FileInfo, error) {
	at, err := t.locate(op, name)
	if err != nil {
		return "", nil, err
	}
	at, info, err := t.follow(at, new(int))
	if err != nil { // which may have another path
		return "", nil, &fs.PathError{Op: op, Path: name, Err: Cause(err)}
	}
	return at, info, nil
}

// Open opens a regular file or a directory.
func (t *Tree) Open(name string) (fs.File, error) {
	at, info, err := t.resolve("open", name)
	if err != nil {
		return nil, err
	}
	if err := checkMode(info.Mode()); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f, err := t.open(at)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil { // another file may have taken its place
		err = checkMode(info.Mode())
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: Cause(err)}, f.Close())
	}
	if f, ok := f.(*os.File); ok {
		return opened{File: f, info: info}, nil
	}
	return f, nil
}

// OpenAround is Open for a clean path relative to the tree that may lead out of it, as ../x does, but not out of the
// boundary.
func (t *Tree) OpenAround(name string) (fs.File, error) {
	switch at := path.Join(t.up, name); {
	case fs.ValidPath(name):
		return t.Open(name)
	case t.up == "." || !fs.ValidPath(at):
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrOutside}
	default:
		return (&Tree{fs: t.fs, root: t.root, up: ".", down: "."}).Open(at)
	}
}

// opened is a file that keeps its description: every reader asks for it.
type opened struct {
	*os.File
	info fs.FileInfo
}

// Stat describes the file as it was when it was opened.
func (f opened) Stat() (fs.FileInfo, error) { return f.info, nil }

// checkMode returns an error unless a file is a regular file or a directory.
func checkMode(mode fs.FileMode) error {
	if mode.IsDir() || mode.IsRegular() {
		return nil
	}
	return Irregular(mode)
}

// open opens a path in t.fs. It does not wait for the other end of a named pipe.
func (t *Tree) open(at string) (fs.File, error) {
	if t.root == nil {
		return t.fs.Open(at)
	}
	f, err := t.root.OpenFile(filepath.FromSlash(at), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Irregular returns an ErrIrregular that names the type of the file.
func Irregular(mode fs.FileMode) error {
	what := "special file"
	switch {
	case mode&fs.ModeNamedPipe != 0:
		what = "named pipe"
	case mode&fs.ModeSocket != 0:
		what = "socket"
	case mode&fs.ModeDevice != 0:
		what = "device"
	case mode.IsDir():
		what = "directory"
	}
	return fmt.Errorf("%w but a %s", ErrIrregular, what)
}

// Stat describes what a path leads to.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	_, info, err := t.resolve("stat", name)
	return info, err
}

// ReadDir returns the entries of a directory, sorted by name.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := t.locate("readdir", name)
	if err != nil {
		return nil, err
	}
	if known, ok := t.directories.Load(at); ok {
		at = known.(string)
	} else {
		var info fs.FileInfo
		if at, info, err = t.resolve("readdir", name); err != nil {
			return nil, err
		}
		if !info.IsDir() {
			return nil, &fs.PathError{Op: "readdir", Path: name, Err: errNotDirectory}
		}
	}
	entries, err := t.list(at)
	if err == nil { // saves isRepository from looking
		t.repositories.Store(name, slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == gitDir }))
	}
	return slices.Clone(entries), err
}

var errNotDirectory = errors.New("it is not a directory")

// list returns the entries of a directory in t.fs, sorted by name. A confined tree keeps them:
// rules ask for them and for the files that they describe several times.
func (t *Tree) list(at string) ([]fs.DirEntry, error) {
	if entries := t.kept(at); entries != nil {
		return entries, nil
	}
	f, err := t.open(at)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	dir, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil, &fs.PathError{Op: "readdir", Path: at, Err: errNotDirectory}
	}
	entries, err := dir.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if err == nil && t.listed != nil && (t.outer != nil || t.entries.Add(int64(len(entries))) <= maxEntries) {
		t.listed.Store(at, entries)
	}
	for _, e := range entries {
		if e.IsDir() { // and not a link
			below := path.Join(at, e.Name())
			t.directories.Store(below, below)
		}
	}
	return entries, err
}

// kept returns the entries of a directory in t.fs, or nil if they are not kept.
func (t *Tree) kept(at string) []fs.DirEntry {
	for ; t != nil && t.listed != nil; at, t = path.Join(t.base, at), t.outer {
		if entries, ok := t.listed.Load(at); ok {
			return entries.([]fs.DirEntry)
		}
	}
	return nil
}

// lstat describes a path in t.fs whose directories are resolved, without following a link
// at its end. A name that is not listed may still exist: a file system may ignore case.
func (t *Tree) lstat(at string) (fs.FileInfo, error) {
	entries := t.kept(path.Dir(at))
	i, ok := slices.BinarySearchFunc(entries, path.Base(at), func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	if ok {
		return entries[i].Info()
	}
	if t.described == nil {
		return fs.Lstat(t.fs, at)
	}
	if info, ok := t.described.Load(at); ok {
		return info.(fs.FileInfo), nil
	}
	info, err := fs.Lstat(t.fs, at)
	if err == nil {
		t.described.Store(at, info)
	}
	return info, err
}

// Lstat describes a path without following a link at its end.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	at, err := t.last("lstat", name)
	if err != nil {
		return nil, err
	}
	return t.lstat(at)
}

// ReadLink returns the target of a symbolic link.
func (t *Tree) ReadLink(name string) (string, error) {
	at, err := t.last("readlink", name)
	if err != nil {
		return "", err
	}
	return fs.ReadLink(t.fs, at)
}

// last returns the path in t.fs of a path in the tree whose directories are resolved.
func (t *Tree) last(op, name string) (string, error) {
	at, err := t.locate(op, name)
	if err != nil || at == "." {
		return at, err
	}
	dir, err := t.directory(path.Dir(at), new(int))
	return path.Join(dir, path.Base(at)), err
}

// maxLinks is the number of symbolic links after which a path is taken for a cycle.
const maxLinks = 40

var errTooManyLinks = errors.New("too many symbolic links")

// follow resolves the symbolic links of a path in t.fs, and describes what it leads to.
// links counts those that were followed.
func (t *Tree) follow(name string, links *int) (resolved string, info fs.FileInfo, err error) {
	if name == "." {
		info, err = fs.Stat(t.fs, name)
		return name, info, err
	}
	dir, err := t.directory(path.Dir(name), links)
	if err != nil {
		return "", nil, err
	}
	if resolved = name; dir != path.Dir(name) {
		resolved = path.Join(dir, path.Base(name))
	}
	if info, err = t.lstat(resolved); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return resolved, info, err
	}
	if *links++; *links > maxLinks {
		return "", nil, errTooManyLinks
	}
	target, err := fs.ReadLink(t.fs, resolved)
	if err != nil {
		return "", nil, err
	}
	target = filepath.ToSlash(target)
	next := path.Join(dir, target)
	if path.IsAbs(target) || filepath.IsAbs(target) || !IsInside(".", next) || isGit(next) {
		return "", nil, ErrOutside
	}
	return t.follow(next, links)
}

// directory returns the path in t.fs that the path of a directory leads to. It is asked
// for once per file in the directory, so the answers are kept.
func (t *Tree) directory(name string, links *int) (string, error) {
	if name == "." {
		return name, nil
	}
	if at, ok := t.directories.Load(name); ok {
		return at.(string), nil
	}
	at, info, err := t.follow(name, links)
	if err == nil && info.IsDir() {
		t.directories.Store(name, at)
	}
	return at, err
}

// isGit reports whether a path leads into the data of Git.
func isGit(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.EqualFold(part, gitDir) {
			return true
		}
	}
	return false
}

// IsInside reports whether a clean slash path is root or lies below it.
func IsInside(root, name string) bool {
	if root == "." {
		return name != ".." && !strings.HasPrefix(name, "../")
	}
	return name == root || strings.HasPrefix(name, root+"/")
}

// Below returns the path from root to name, which lies below it; "" if they are equal.
func Below(root, name string) string {
	if root == "." && name != "." {
		return name
	}
	return strings.TrimPrefix(strings.TrimPrefix(name, root), "/")
}

// OpenFile opens a regular file that a user named or that lies around a plugin. A symbolic
// link must stay within the Boundary of its directory.
func OpenFile(name string) (*os.File, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	t, err := Open(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer t.Close()
	f, err := t.Open(filepath.Base(name))
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: Cause(err)}
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = Irregular(info.Mode())
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: Cause(err)}, f.Close())
	}
	return f.(opened).File, nil
}

// Cause returns the error without the operation or path.
func Cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
