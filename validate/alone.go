package validate

import (
	"bytes"
	"io/fs"
	"sync/atomic"
	"time"
)

// lone is a tree with a single file.
type lone struct {
	name string
	data []byte
}

// Open opens the file.
func (l lone) Open(name string) (fs.File, error) {
	if name != l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &loneFile{Reader: bytes.NewReader(l.data), name: l.name}, nil
}

// loneFile is the open file and its fs.FileInfo, whose Size is that of the Reader.
type loneFile struct {
	*bytes.Reader
	name string
}

// Stat returns the file itself.
func (f *loneFile) Stat() (fs.FileInfo, error) { return f, nil }

// Close does nothing.
func (f *loneFile) Close() error { return nil }

// Name returns the name of the file.
func (f *loneFile) Name() string { return f.name }

// Mode returns the mode of a readable file.
func (f *loneFile) Mode() fs.FileMode { return 0o444 }

// ModTime returns the zero time.
func (f *loneFile) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (f *loneFile) IsDir() bool { return false }

// Sys returns nil.
func (f *loneFile) Sys() any { return nil }

// watched is a tree that records when a rule opens any file except one.
type watched struct {
	fs.FS
	only      string
	isTouched *atomic.Bool
}

// Open opens a file.
func (w watched) Open(name string) (fs.File, error) {
	if name != w.only {
		w.isTouched.Store(true)
	}
	return w.FS.Open(name)
}
