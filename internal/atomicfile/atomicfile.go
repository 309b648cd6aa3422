// Package atomicfile writes files that appear complete or not at all.
//
// It removes its temporary file, beside the target, after any error. It does not create
// directories, and does not follow a symbolic link at the target.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write creates or replaces a file with what content writes. If content returns an
// error, the file stays as it is.
func Write(name string, mode fs.FileMode, content func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(name), mode, content)
}

// WriteIn is Write for a file below a root.
func WriteIn(root *os.Root, name string, mode fs.FileMode, content func(io.Writer) error) error {
	tmp := filepath.Join(filepath.Dir(name), ".slipway-"+rand.Text())
	file := filepath.Join(root.Name(), name) // what errors name instead of tmp
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &fs.PathError{Op: "create", Path: file, Err: errors.Unwrap(err)}
	}
	if err := errors.Join(content(f), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	if err := root.Rename(tmp, name); err != nil {
		return errors.Join(&fs.PathError{Op: "rename", Path: file, Err: errors.Unwrap(err)}, root.Remove(tmp))
	}
	return nil
}
