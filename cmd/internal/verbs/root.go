package verbs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// fromRoot names the files of a report as code hosts do: relative to the root of the repository,
// which may have several plugins. Other formats name them as they can be opened.
func (s *several) fromRoot(r *validate.Report, format string) {
	if !slices.Contains([]string{"github", "sarif", "junit"}, format) || len(s.targets) == 0 {
		return
	}
	t := s.targets[0]
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

// inRepository returns the path of the current directory relative to the root of its repository, or "".
func (s *several) inRepository() string {
	if len(s.targets) == 0 {
		return ""
	}
	cwd := s.targets[0].cwd
	if root := repositoryRoot(cwd, os.Getenv("GITHUB_WORKSPACE")); root != "" {
		return relative(root, cwd)
	}
	return ""
}

// repositoryRoot returns the root of the repository around a directory, or "". The workspace of GitHub Actions
// takes its place if it is a repository, of which the directory may be a submodule, or if there is no repository.
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

// FindRepo returns the plugin repository that a directory is part of, and prints its path if that is
// another one: the paths that verbs print are relative to it. "" is the current directory.
func FindRepo(w io.Writer, dir string) (bundle.Repo, error) {
	repo, err := bundle.FindRepo(dir)
	if err != nil {
		return repo, &ExitError{Code: ExitUsage, Err: err}
	}
	if abs, err := filepath.Abs(dir); err != nil || abs != repo.Root {
		fmt.Fprintf(w, "plugin repository: %s\n", repo.Root)
	}
	return repo, nil
}

// Around returns the path of the plugin repository around the current directory, for verbs that also work
// elsewhere. It is "" if the directory is a repository, part of a dist, or part of none.
func Around() string {
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	repo, err := bundle.FindRepo(cwd)
	if err != nil || repo.Root == cwd {
		return ""
	}
	if rel, err := filepath.Rel(repo.Dist, cwd); err == nil && filepath.IsLocal(rel) {
		return ""
	}
	return relative(cwd, repo.Root)
}
