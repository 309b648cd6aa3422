package fix

import (
	"bytes"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

type overlay struct {
	fs.FS
	changes map[string]*Change // not written during a run
}

// Confine confines the tree to a plugin; see validate.Confiner.
func (o *overlay) Confine(dir string, isBuilt bool) (fs.FS, error) {
	c, ok := o.FS.(validate.Confiner)
	if !ok {
		c = tree.New(o.FS)
	}
	confined, err := c.Confine(dir, isBuilt)
	if err != nil {
		return nil, err
	}
	return &overlay{FS: confined, changes: o.changes}, nil
}

// Close closes a tree that Confine returned.
func (o *overlay) Close() error {
	validate.Close(o.FS)
	return nil
}

// Open opens a file with its changes. The mode of the open file has changed only if its
// contents have.
func (o *overlay) Open(name string) (fs.File, error) {
	c := o.changes[name]
	if c == nil || c.isOnlyMode() {
		return o.FS.Open(name)
	}
	info, err := o.Stat(name)
	if err != nil {
		return nil, err
	}
	return &text{Reader: bytes.NewReader(c.After), info: info}, nil
}

// Stat returns the size and mode of a file with its changes.
func (o *overlay) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(o.FS, name)
	if err != nil {
		return nil, err
	}
	return o.info(name, info), nil
}

// Lstat is like Stat but does not follow symbolic links.
func (o *overlay) Lstat(name string) (fs.FileInfo, error) {
	info, err := fs.Lstat(o.FS, name)
	if err == nil && info.Mode().IsRegular() {
		info = o.info(name, info)
	}
	return info, err
}

// ReadLink returns the target of a symbolic link.
func (o *overlay) ReadLink(name string) (string, error) { return fs.ReadLink(o.FS, name) }

// ReadDir lists a directory.
func (o *overlay) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(o.FS, name)
	for i, e := range entries {
		below := path.Join(name, e.Name())
		if o.changes[below] == nil || !e.Type().IsRegular() {
			continue
		}
		if info, err := o.Stat(below); err == nil {
			entries[i] = fs.FileInfoToDirEntry(info)
		}
	}
	return entries, err
}

func (o *overlay) info(name string, info fs.FileInfo) fs.FileInfo {
	if c := o.changes[name]; c != nil {
		return changedInfo{info, c}
	}
	return info
}

type text struct {
	*bytes.Reader
	info fs.FileInfo
}

// Stat returns the changed size and mode.
func (t *text) Stat() (fs.FileInfo, error) { return t.info, nil }

// Close does nothing.
func (t *text) Close() error { return nil }

type changedInfo struct {
	fs.FileInfo
	change *Change
}

// Size returns the changed size.
func (i changedInfo) Size() int64 {
	if i.change.isOnlyMode() {
		return i.FileInfo.Size()
	}
	return int64(len(i.change.After))
}

// Mode returns the changed mode.
func (i changedInfo) Mode() fs.FileMode {
	if i.change.MakeExecutable {
		return executable(i.FileInfo.Mode())
	}
	return i.FileInfo.Mode()
}

// executable adds the permission to execute for everyone who may read.
func executable(mode fs.FileMode) fs.FileMode { return mode | mode&0o444>>2 | 0o100 }
