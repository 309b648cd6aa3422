package frontend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

const modulesDir = "/node_modules/"

// Belongs returns an error unless a file is a regular file that a published bundle of a repository
// may contain: one of a package, or one below the directory with .git, or below the repository
// outside of git.
func Belongs(root, file string) error {
	if strings.Contains(filepath.ToSlash(file), modulesDir) {
		return nil
	}
	real, err := filepath.EvalSymlinks(file)
	if errors.Is(err, fs.ErrNotExist) { // esbuild knows better: the file may be one that a package disables
		return nil
	}
	if err != nil {
		return err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", file)
	case strings.Contains(filepath.ToSlash(real), modulesDir), isBelow(top(root), real), isLinked(root, real):
		return nil
	}
	return fmt.Errorf("%s is outside of the repository: a bundle contains only files of the repository and of its packages", file)
}

// top returns the directory with .git above a repository, or the repository outside of git.
func top(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return root
		}
	}
}

func isBelow(dir, file string) bool {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// isLinked reports whether a file is in a package that the user has linked into node_modules.
func isLinked(root, file string) bool {
	for _, pattern := range []string{"*", "@*/*"} {
		packages, _ := filepath.Glob(filepath.Join(root, "node_modules", pattern)) // the pattern is valid
		for _, dir := range packages {
			if info, err := os.Lstat(dir); err == nil && info.Mode()&os.ModeSymlink != 0 && isBelow(dir, file) {
				return true
			}
		}
	}
	return false
}

// confine refuses files that do not belong to the repository.
func (b *bundler) confine(in api.OnLoadArgs) (api.OnLoadResult, error) {
	return api.OnLoadResult{}, Belongs(b.Root, in.Path)
}

// leaves reports whether a package asks for a file by a path that leads out of node_modules, where
// a file is not its own to publish.
func leaves(in api.OnResolveArgs, name string) bool {
	if isBare(name) || !strings.Contains(filepath.ToSlash(in.Importer), modulesDir) {
		return false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(in.ResolveDir, name)
	}
	return !strings.Contains(filepath.ToSlash(filepath.Clean(name))+"/", modulesDir)
}
