package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
)

// Clean removes the dist and coverage directories of a plugin repository, and the record
// of its last build in the user's cache. It keeps a directory with files that Git tracks.
func Clean(ctx context.Context, w io.Writer, dir string) error {
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
		if isTracked(ctx, repo.Root, name) {
			fmt.Fprintf(w, "kept %s: Git tracks files in it\n", name)
			continue
		}
		if err := root.RemoveAll(name); err != nil {
			return fmt.Errorf("clean: %w", err)
		}
		fmt.Fprintf(w, "removed %s\n", name)
	}
	return build.Forget(repo.Root, "")
}

// isTracked reports whether Git tracks files in a directory of a repository.
func isTracked(ctx context.Context, root, name string) bool {
	// The configuration of a repository may name a program that git would run to find changes.
	out, err := exec.CommandContext(ctx, "git", "-c", "core.fsmonitor=false", "-C", root, "ls-files", "--", name).Output()
	return err == nil && len(out) > 0
}
