package frontend

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/slipway-dev/slipway/bundle/tree"
)

const modulesDir = "/node_modules/"

// Confinement decides which files a published bundle of a repository may contain.
type Confinement struct {
	root string // of the plugin repository
	top  string // of the Git repository around it, or root; without symbolic links
}

// Confine returns the confinement of a plugin repository.
func Confine(root string) Confinement {
	top, isRepo := tree.Boundary(root)
	if !isRepo {
		top = root
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real
	}
	return Confinement{root, top}
}

// Check returns an error unless a file is a regular file of the repository, or one of a package.
func (c Confinement) Check(file string) error {
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
	case strings.Contains(filepath.ToSlash(real), modulesDir), isBelow(c.top, real), c.isLinked(real):
		return nil
	}
	return fmt.Errorf("%s is outside of the repository: a bundle contains only files of the repository and of its packages", file)
}

func isBelow(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// isLinked reports whether a file is in a package that the user has linked into node_modules.
func (c Confinement) isLinked(file string) bool {
	for _, pattern := range []string{"*", "@*/*"} {
		packages, _ := filepath.Glob(filepath.Join(c.root, "node_modules", pattern)) // the pattern is valid
		for _, dir := range packages {
			if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir && isBelow(real, file) {
				return true
			}
		}
	}
	return false
}

// leaves reports whether a package asks for a file outside of node_modules, which is not its own to publish.
func leaves(in api.OnResolveArgs, name string) bool {
	if isBare(name) || !strings.Contains(filepath.ToSlash(in.Importer), modulesDir) {
		return false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(in.ResolveDir, name)
	}
	return !strings.Contains(filepath.ToSlash(filepath.Clean(name))+"/", modulesDir)
}
