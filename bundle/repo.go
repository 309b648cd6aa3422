package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Repo is a plugin repository: where its parts are. Paths are absolute.
type Repo struct {
	Root   string // where the author works
	Source string // the folder of plugin.json: Root/src or Root
	Dist   string // where a build goes
}

// ErrNoPlugin says that a folder is no plugin repository.
var ErrNoPlugin = errors.New("no plugin.json here or in src: run this in a plugin repository, or make one with scaffold")

// OpenRepo finds the parts of the plugin repository at dir.
func OpenRepo(dir string) (Repo, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("open repository %s: %w", dir, err)
	}
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return Repo{}, fmt.Errorf("open repository %s: there is no such folder", root)
	}
	for _, source := range []string{filepath.Join(root, sourceDir), root} {
		if isFile(filepath.Join(source, MetadataFile)) {
			return Repo{Root: root, Source: source, Dist: filepath.Join(root, DistDir)}, nil
		}
	}
	return Repo{}, fmt.Errorf("open repository %s: %w", root, ErrNoPlugin)
}
