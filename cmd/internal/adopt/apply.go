package adopt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// Apply writes the files of the plan. It refuses to overwrite what has changed since MakePlan. If a
// file cannot be written, it restores those that it wrote.
func (p *Plan) Apply() error {
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	modes := make([]fs.FileMode, len(p.Files))
	for i, f := range p.Files {
		if modes[i], err = f.check(root); err != nil {
			return err
		}
	}
	for i, f := range p.Files {
		if err := writeFile(root, f.Path, modes[i], f.After); err != nil {
			for n, written := range p.Files[:i] {
				err = errors.Join(err, written.restore(root, modes[n]))
			}
			return err
		}
	}
	return nil
}

// check checks that a file is as the plan found it, and returns the mode to write it with.
func (f File) check(root *os.Root) (fs.FileMode, error) {
	name := filepath.FromSlash(f.Path)
	info, err := root.Lstat(name)
	switch {
	case f.Before == nil && err == nil:
		return 0, fmt.Errorf("%s was created while init was running; run it again", f.Path)
	case f.Before == nil:
		return 0o644, nil
	}
	if current, err := root.ReadFile(name); err != nil || !bytes.Equal(current, f.Before) {
		return 0, fmt.Errorf("%s changed while init was running; run it again", f.Path)
	}
	return info.Mode().Perm(), nil
}

// restore writes the original content of a file, or removes the file and the directories
// that are then empty.
func (f File) restore(root *os.Root, mode fs.FileMode) error {
	if f.Before != nil {
		return writeFile(root, f.Path, mode, f.Before)
	}
	if err := root.Remove(filepath.FromSlash(f.Path)); err != nil {
		return err
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if root.Remove(filepath.FromSlash(dir)) != nil {
			break // not empty
		}
	}
	return nil
}

func writeFile(root *os.Root, name string, mode fs.FileMode, data []byte) error {
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return atomicfile.WriteIn(root, name, mode, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
