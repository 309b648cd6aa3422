package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/process"
)

const (
	// asideSuffix ends the name of the previous dist while that bundler writes to dist.
	asideSuffix = "-aside"
	// runningVariable holds, for its bundler, the repository that is being built.
	runningVariable = "SLIPWAY_BUILD"
	// commandVariable holds the command line of its bundler.
	commandVariable = "SLIPWAY_COMMAND"
	// otherDir is what to do if that bundler left nothing in a directory.
	otherDir = "if it writes to another directory, set frontend.dir in slipway.yaml"
)

// runBundler runs the repository's own bundler and copies what it wrote to the staging
// directory. If it writes to dist or below, the previous dist is set aside and restored afterwards.
func (p *Plan) runBundler(ctx context.Context, staging string, r *Result) (err error) {
	f := p.options.Frontend
	if f.Command == "" {
		return nil
	}
	dir := cmp.Or(f.Dir, bundle.DistDir)
	if first, _, _ := strings.Cut(dir, "/"); first == bundle.DistDir {
		aside := staging + asideSuffix
		if err := p.setAside(aside); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.restore(aside)) }()
	}
	started := time.Now()
	if err := runCommand(ctx, p.options, p.Repo.Root, "frontend", f.Command); err != nil {
		return err
	}
	if r.bundled, err = p.collect(dir, staging); err != nil {
		return err
	}
	if p.hasFrontend() && !exists(filepath.Join(staging, "module.js")) {
		return fmt.Errorf("the command of frontend, %s, left no module.js in %s: "+otherDir, f.Command, dir)
	}
	done := part{name: "frontend", content: "module.js", took: time.Since(started)}
	if info, err := os.Stat(filepath.Join(staging, "module.js")); err == nil {
		done.size = info.Size()
	}
	r.frontends = append(r.frontends, done)
	return nil
}

// Generate runs the command that writes files of the repository before they are checked and built.
func Generate(ctx context.Context, o Options) error {
	o = o.withDefaults()
	if o.Generate == "" || o.Update {
		return nil // what it writes would start the next update
	}
	repo, err := openRepo(o.Dir)
	if err != nil {
		return err
	}
	return runCommand(ctx, o, repo.Root, "generate", o.Generate)
}

// runCommand runs a command line of slipway.yaml in the repository. What it prints is progress.
func runCommand(ctx context.Context, o Options, root, name, line string) error {
	fmt.Fprintf(o.Progress, "  %s: %s\n", name, line)
	output := &tail{w: o.Progress}
	cmd := shell(ctx)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, output, output
	cmd.Env = append(slices.Clone(o.Environ), runningVariable+"="+root, commandVariable+"="+line)
	err := process.Run(cmd, process.Grace)
	last := output.String()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && last == "":
		return fmt.Errorf("the command of %s, %s, failed without output: %w; dist is unchanged", name, line, err)
	case err != nil:
		return fmt.Errorf("the command of %s, %s, failed: %w; dist is unchanged; its last lines:\n    %s",
			name, line, err, strings.ReplaceAll(last, "\n", "\n    "))
	}
	return nil
}

// shell returns a command that has the shell run the command line in commandVariable, as npm does. On Windows, a
// command line in an argument would be quoted for programs, which cmd reads differently.
func shell(ctx context.Context) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/d", "/c", "%"+commandVariable+"%")
	}
	return exec.CommandContext(ctx, "sh", "-c", `eval "$`+commandVariable+`"`)
}

// collect copies the regular files of a directory to staging, but no executables: those are compiled.
func (p *Plan) collect(dir, staging string) (files []string, err error) {
	root, err := os.OpenRoot(p.Repo.Root)
	if err != nil {
		return nil, fmt.Errorf("read the frontend: %w", err)
	}
	defer func() { _ = root.Close() }()
	from, err := root.OpenRoot(filepath.FromSlash(dir)) // refuses a link out of the repository
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the command of frontend, %s, did not write %s: "+otherDir, p.options.Frontend.Command, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read the frontend: %w", err)
	}
	defer func() { _ = from.Close() }()
	err = fs.WalkDir(from.FS(), ".", func(rel string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || p.isOfBackend(rel):
			return err
		case !d.Type().IsRegular():
			return fmt.Errorf("%s/%s is not a regular file", dir, rel)
		}
		file := filepath.FromSlash(rel)
		files = append(files, rel)
		return copyFile(filepath.Join(p.Repo.Root, filepath.FromSlash(dir), file), filepath.Join(staging, file))
	})
	if err != nil {
		return nil, fmt.Errorf("read the frontend: %w", err)
	}
	return files, nil
}

// setAside renames dist. An empty directory stands for no dist.
func (p *Plan) setAside(aside string) error {
	err := os.Rename(p.Repo.Dist, aside)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Mkdir(aside, 0o755)
	}
	if err != nil {
		return fmt.Errorf("set dist aside: %w", err)
	}
	return nil
}

// restore replaces dist with the one that was set aside.
func (p *Plan) restore(aside string) error {
	err := os.RemoveAll(p.Repo.Dist)
	if err == nil {
		err = os.Rename(aside, p.Repo.Dist)
	}
	if err != nil {
		return fmt.Errorf("restore the previous dist: %w", err)
	}
	_ = os.Remove(p.Repo.Dist) // succeeds only if it is empty
	return nil
}
