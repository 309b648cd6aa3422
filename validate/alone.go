package validate

import (
	"bytes"
	"io/fs"
	"sync/atomic"
	"time"
)

// lone is a tree of one file.
type lone struct {
	name string
	data []byte
}

// Open opens the file.
func (l lone) Open(name string) (fs.File, error) {
	if name != l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &loneFile{Reader: bytes.NewReader(l.data), lone: l}, nil
}

// loneFile is the open file and its own fs.FileInfo.
type loneFile struct {
	*bytes.Reader
	lone lone
}

// Stat describes the file.
func (f *loneFile) Stat() (fs.FileInfo, error) { return loneInfo{f.lone}, nil }

// Close does nothing.
func (f *loneFile) Close() error { return nil }

type loneInfo struct{ lone lone }

// Name returns the name of the file.
func (i loneInfo) Name() string { return i.lone.name }

// Size returns the number of bytes.
func (i loneInfo) Size() int64 { return int64(len(i.lone.data)) }

// Mode returns that of a file which may be read.
func (i loneInfo) Mode() fs.FileMode { return 0o444 }

// ModTime returns the zero time.
func (i loneInfo) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (i loneInfo) IsDir() bool { return false }

// Sys returns nil.
func (i loneInfo) Sys() any { return nil }

// watched is a tree that notes when a file is asked for other than one.
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
