package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// ErrNotFile is the error from Open for anything but a regular file.
var ErrNotFile = errors.New("not a regular file")

// Open opens a file of the plugin by its slash path. Open returns an error if the path
// or a symbolic link leads out of the plugin's directory.
func (p Plugin) Open(name string) (*os.File, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK, 0) // does not wait for a pipe
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotFile
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
