package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle/gitignore"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/terminal"
)

// keptDir is where files are kept that a build would delete, relative to the repository.
const keptDir = ownDir + "/kept"

// ownDir is a directory of Slipway's, relative to the repository.
const ownDir = ".slipway"

// keepForeign keeps the files of dist that no build made, such as another bundler's, which a new dist would delete. Links
// or copies leave dist as it is if the build is killed.
func (p *Plan) keepForeign(_ context.Context, staging string, r *Result) error {
	foreign, err := p.foreignFiles(staging, r.previous)
	if err != nil {
		return fmt.Errorf("read dist: %w", err)
	}
	if p.options.Update {
		r.foreign = foreign // they stay where they are
		return nil
	}
	if len(foreign) == 0 {
		return nil
	}
	to, err := makeKept(p.Repo.Root, time.Now())
	for _, name := range foreign {
		if err == nil {
			err = keepFile(p.inDist(name), filepath.Join(to, filepath.FromSlash(name)))
		}
	}
	if err != nil {
		return fmt.Errorf("set aside the files in dist that no build wrote: %w; move them out of dist and build again", err)
	}
	const shown = 5
	list := strings.Join(foreign[:min(len(foreign), shown)], ", ")
	if len(foreign) > shown {
		list += fmt.Sprintf(", and %d more", len(foreign)-shown)
	}
	r.Warnings = append(r.Warnings, fmt.Sprintf("dist contained files that no build wrote: moved to %s: %s",
		filepath.ToSlash(p.relative(to)), terminal.Line(list)))
	return nil
}

// foreignFiles lists the files of dist that no recorded build wrote and that the new build does not have as they are.
func (p *Plan) foreignFiles(staging string, previous record) (names []string, err error) {
	err = p.walkDist(func(name, file string) error {
		if p.isOwn(name, previous) {
			return nil
		}
		same, err := sameContents(file, filepath.Join(staging, filepath.FromSlash(name)))
		if err == nil && !same {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// isOwn reports whether a recorded build wrote a file of dist.
func (p *Plan) isOwn(name string, previous record) bool {
	return slices.ContainsFunc(previous.Files[name], func(s fileState) bool { return s.isStateOf(p.inDist(name)) })
}

// walkDist calls visit for each file of dist, with its slash-separated path in dist and its path.
// If dist is a symbolic link, what it points to stays, and walkDist visits nothing.
func (p *Plan) walkDist(visit func(name, file string) error) error {
	return filepath.WalkDir(p.Repo.Dist, func(file string, d fs.DirEntry, err error) error {
		if file == p.Repo.Dist && (errors.Is(err, fs.ErrNotExist) || err == nil && d.Type()&fs.ModeSymlink != 0) {
			return nil
		}
		if file == p.Repo.Dist && err == nil && !d.IsDir() {
			return errors.New("it is a file: move it elsewhere")
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(p.Repo.Dist, file)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name), file)
	})
}

// makeKept makes a new directory in keptDir, named by the time.
func makeKept(repo string, at time.Time) (string, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
	if err := gitignore.Make(root, ownDir); err != nil {
		return "", err
	}
	if err := atomicfile.Check(root, keptDir); err != nil {
		return "", err
	}
	if err := root.MkdirAll(keptDir, 0o755); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		dir := keptDir + "/" + at.UTC().Format("20060102-150405")
		if n > 1 {
			dir += fmt.Sprintf("-%d", n)
		}
		if err := root.Mkdir(dir, 0o755); !errors.Is(err, fs.ErrExist) {
			return filepath.Join(repo, filepath.FromSlash(dir)), err
		}
	}
}
