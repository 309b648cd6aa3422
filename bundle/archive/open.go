package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Open opens a built plugin for Compare: a directory, or a zip with
// one directory at its root. It refuses a zip whose entries a tool could unpack outside
// of that directory or over one another. The caller must close the io.Closer.
func Open(name string) (fs.FS, io.Closer, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(name)
		if err != nil {
			return nil, nil, err
		}
		return root.FS(), root, nil
	}
	if !info.Mode().IsRegular() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrIrregular}
	}
	z, err := zipfs.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("open %s: %w", name, err)
	}
	plugin, err := zipRoot(z)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), z.Close())
	}
	return plugin, z, nil
}

// zipRoot returns the only directory at the root of a zip.
func zipRoot(z *zipfs.Archive) (fs.FS, error) {
	if z.Refusal != "" {
		return nil, fmt.Errorf("the zip is refused: %s", z.Refusal)
	}
	var root string
	names := map[string]bool{}
	for _, e := range z.Entries {
		name := strings.TrimSuffix(e.Name, "/")
		dir, rest, _ := strings.Cut(name, "/")
		switch {
		case rest == "" && !e.Mode.IsDir() || root != "" && dir != root:
			return nil, errors.New("the zip must have exactly one entry at its root, a directory")
		case names[name]:
			return nil, fmt.Errorf("the entry %q of the zip is repeated", e.Name)
		case e.Path != name:
			return nil, fmt.Errorf("the entry %q of the zip has an invalid name", e.Name)
		case e.Refusal != "":
			return nil, fmt.Errorf("the entry %q of the zip is refused: %s", e.Name, e.Refusal)
		}
		names[name], root = true, dir
	}
	if root == "" {
		return nil, errors.New("the zip is empty")
	}
	return fs.Sub(z, root)
}
