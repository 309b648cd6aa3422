package bundle

import (
	"errors"
	"os"
	"path/filepath"
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
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would block
		return nil, ErrNotFile
	}
	return root.Open(name)
}
