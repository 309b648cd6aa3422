package verbs

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// fromRoot names the files of a report as code hosts do: relative to the root of the repository,
// which may have several plugins. Other formats name them as they can be opened.
func (t *target) fromRoot(r *validate.Report, format string) {
	if !slices.Contains([]string{"github", "sarif", "junit"}, format) {
		return
	}
	root := repositoryRoot(t.directory(), os.Getenv("GITHUB_WORKSPACE"))
	if root == "" {
		return
	}
	r.Rename(func(file string) string {
		if named := relative(root, t.absolute(filepath.FromSlash(file))); filepath.IsLocal(filepath.FromSlash(named)) {
			return named
		}
		return file
	})
}

// repositoryRoot returns the root of the repository around a directory, or "" without one. The
// workspace of GitHub Actions is preferred, where it is a repository: the directory may be in a
// submodule, or Git's own directory may be absent.
func repositoryRoot(dir, workspace string) string {
	root, isRepo := tree.Boundary(dir)
	rel, err := filepath.Rel(workspace, dir)
	isInWorkspace := workspace != "" && err == nil && filepath.IsLocal(rel)
	if _, err := os.Stat(filepath.Join(workspace, ".git")); isInWorkspace && (err == nil || !isRepo) {
		return workspace
	}
	if isRepo {
		return root
	}
	return ""
}
