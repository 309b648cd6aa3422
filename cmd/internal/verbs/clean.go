package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"

	"github.com/slipway-dev/slipway/bundle"
)

// runClean removes the dist and coverage directories of a plugin repository. It keeps a directory with files that
// Git tracks. The record of the last build is of no use without its dist.
func runClean(ctx context.Context, w io.Writer, dir string) error {
	repo, err := FindRepo(w, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range []string{bundle.DistDir, coverageDir} {
		if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		tracked, err := isTracked(ctx, repo.Root, name)
		if err != nil {
			return &ExitError{Code: ExitBroken, Err: fmt.Errorf("kept %s: %w", name, err)}
		}
		if tracked {
			fmt.Fprintf(w, "kept %s: Git tracks files in it\n", name)
			continue
		}
		if err := root.RemoveAll(name); err != nil {
			return fmt.Errorf("clean: %w", err)
		}
		fmt.Fprintf(w, "removed %s\n", name)
	}
	return nil
}

// isTracked reports whether Git tracks files in a directory of a repository. It is an error if Git cannot say, as
// in a directory that another user owns. Outside a repository, and without git, nothing is tracked.
func isTracked(ctx context.Context, root, name string) (bool, error) {
	// The configuration of a repository may name a program that git would run to find changes.
	git := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-C", root, "ls-files", "--", name)
	git.Env = append(git.Environ(), "LC_ALL=C")
	out, err := git.Output()
	failed, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case errors.Is(err, exec.ErrNotFound), ok && bytes.Contains(failed.Stderr, []byte("not a git repository (or any")):
		return false, nil
	case ok:
		return false, fmt.Errorf("git cannot say whether it tracks files in it: %s", bytes.TrimSpace(failed.Stderr))
	}
	return len(out) > 0, err
}
