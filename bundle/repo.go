package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Repo is the layout of a plugin repository. Its paths are absolute.
type Repo struct {
	Root   string // the directory of the repository
	Source string // the directory of plugin.json: Root/src or Root
	Dist   string // the directory of the built plugin
}

// ErrNoPlugin is the error for a directory that is not a plugin repository.
var ErrNoPlugin = errors.New("no plugin.json or src/plugin.json: choose a plugin repository, or scaffold one")

// OpenRepo returns the layout of the plugin repository at dir.
func OpenRepo(dir string) (Repo, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("open repository %s: %w", dir, err)
	}
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return Repo{}, fmt.Errorf("open repository %s: directory not found", root)
	}
	for _, source := range []string{filepath.Join(root, sourceDir), root} {
		if isFile(filepath.Join(source, MetadataFile)) {
			return Repo{Root: root, Source: source, Dist: filepath.Join(root, DistDir)}, nil
		}
	}
	return Repo{}, fmt.Errorf("open repository %s: %w", root, ErrNoPlugin)
}
