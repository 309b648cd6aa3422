package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle/tree"
)

// Find returns the path of the slipway.yaml for a directory, or "": the first one from
// dir upwards. The search ends at the root of the repository; outside of a repository
// it ends at cwd, or at dir if that is not below cwd. Both paths must be absolute.
func Find(dir, cwd string) (string, error) {
	last := boundary(dir, cwd)
	for at := dir; ; at = filepath.Dir(at) {
		file := filepath.Join(at, FileName)
		_, err := os.Lstat(file)
		if err == nil {
			return file, nil // Read rejects a directory
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		other := filepath.Join(at, "slipway.yml")
		if _, err := os.Stat(other); err == nil {
			return "", fmt.Errorf("%s is ignored: rename it to %s", other, FileName)
		}
		if at == last || at == filepath.Dir(at) {
			return "", nil
		}
	}
}

func boundary(dir, cwd string) string {
	if top, isRepo := tree.Boundary(dir); isRepo {
		return top
	}
	if rel, err := filepath.Rel(cwd, dir); err == nil && filepath.IsLocal(rel) {
		return cwd
	}
	return dir
}

// Read reads a slipway.yaml, which may be a symbolic link within its repository. In
// findings, the file is called name. rules lists the IDs of all rules.
func Read(file, name string, rules []string) (*Config, error) {
	f, err := tree.OpenFile(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, data, rules)
}
