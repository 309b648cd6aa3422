package bundle

import (
	"errors"
	"os"
	"path/filepath"
)

// ErrNotFile is the error of Open for what is there but is no file.
var ErrNotFile = errors.New("it is not a file")

// Open opens a file of the plugin, named with slashes from its folder. A name or a
// symbolic link that leads out of the folder is an error.
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
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, ErrNotFile
	}
	return root.Open(name)
}
