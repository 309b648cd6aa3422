package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/text"
)

const allHelp = "every plugin repository at the path or below, as in a monorepo"

// reposAt returns the paths, or dir if there are none. With the option all, it returns the plugin repositories at
// and below them.
func reposAt(f Face, all bool, dir string, paths []string) (roots []string, err error) {
	if len(paths) == 0 {
		paths = []string{dir}
	}
	if !all {
		return paths, nil
	}
	for _, name := range paths {
		repos, err := bundle.Repos(filepath.Clean(name))
		if err != nil {
			return nil, Usage("%s: %w", f.Option("all"), err)
		}
		if len(repos) == 0 {
			return nil, Usage("%s: no plugin.json or src/plugin.json in %s or any directory below", f.Option("all"), filepath.Join(".", name))
		}
		for _, repo := range repos {
			if !slices.Contains(roots, repo.Root) {
				roots = append(roots, repo.Root)
			}
		}
	}
	return roots, nil
}

// each runs a verb in one plugin repository after another, also after failures, of which the error has the worst status.
func each(ctx context.Context, w io.Writer, verb string, dirs []string, run func(dir string) error) error {
	if len(dirs) == 1 {
		return run(dirs[0])
	}
	worst, failed := ExitOK, []string(nil)
	for _, dir := range dirs {
		fmt.Fprintf(w, "%s:\n", shortPath(dir))
		err := run(dir)
		if err != nil && ctx.Err() != nil {
			return err
		}
		if err == nil {
			continue
		}
		code := ExitFindings
		if exit, ok := errors.AsType[*ExitError](err); ok {
			code = exit.Code
		}
		fmt.Fprintln(w, "slipway:", err)
		worst, failed = max(worst, code), append(failed, shortPath(dir))
	}
	if failed != nil {
		return &ExitError{Code: worst, Err: fmt.Errorf("%s: %d of %d plugins failed: %s", verb, len(failed), len(dirs), strings.Join(failed, ", "))}
	}
	fmt.Fprintf(w, "%s: done for %s\n", verb, text.Plural(len(dirs), "plugin"))
	return nil
}
