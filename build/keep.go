package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle/archive"
	"github.com/slipway-dev/slipway/internal/terminal"
)

// keptDir is where files are kept that a build would otherwise delete, relative to the
// repository.
const keptDir = ".slipway/kept"

// keepForeign keeps the files of dist that no build made, such as notes or what another
// bundler wrote: replacing dist would delete them. They are linked or copied rather than
// moved, so that dist stays as it is if the build is killed.
func (p *Plan) keepForeign(_ context.Context, staging string, r *Result) error {
	foreign, err := p.foreignFiles(staging, r.previous)
	if err != nil {
		return fmt.Errorf("read dist: %w", err)
	}
	if len(foreign) == 0 {
		return nil
	}
	to, err := makeKept(p.Repo.Root, time.Now())
	for _, name := range foreign {
		if err == nil {
			err = keepFile(filepath.Join(p.Repo.Dist, name), filepath.Join(to, name))
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
	r.Warnings = append(r.Warnings, fmt.Sprintf("dist contained files that no build wrote: moved to %s: %s", filepath.ToSlash(p.relative(to)), terminal.Line(list)))
	return nil
}

// foreignFiles lists the files of dist, relative to it, that no recorded build wrote and
// that differ from what the new build contains at their path.
func (p *Plan) foreignFiles(staging string, previous record) (names []string, err error) {
	err = p.walkDist(func(name, file string) error {
		if p.isOwn(name, previous) {
			return nil
		}
		same, err := sameContents(file, filepath.Join(staging, name))
		if err == nil && !same {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// ownFiles returns the files of dist that recorded builds wrote, by slash-separated path.
func (p *Plan) ownFiles() (map[string]bool, error) {
	files, previous := map[string]bool{}, p.readRecord()
	err := p.walkDist(func(name, _ string) error {
		if p.isOwn(name, previous) {
			files[filepath.ToSlash(name)] = true
		}
		return nil
	})
	return files, err
}

// isOwn reports whether a recorded build wrote a file of dist, or it is a manifest or a
// signature, which are of no use after a change.
func (p *Plan) isOwn(name string, previous record) bool {
	file := filepath.Join(p.Repo.Dist, name)
	return slices.ContainsFunc(previous.Files[filepath.ToSlash(name)], func(s fileState) bool { return s.isStateOf(file) }) ||
		archive.IsWritten(os.DirFS(p.Repo.Dist), name)
}

// walkDist calls visit for each file of dist, with its path relative to dist and its path.
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
		return visit(name, file)
	})
}

// sameContents reports whether two regular files have the same contents. The second may
// be missing.
func sameContents(a, b string) (bool, error) {
	infoA, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	infoB, err := os.Lstat(b)
	if err != nil || !infoA.Mode().IsRegular() || !infoB.Mode().IsRegular() || infoA.Size() != infoB.Size() {
		return false, nil
	}
	if os.SameFile(infoA, infoB) {
		return true, nil
	}
	fileA, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer func() { _ = fileA.Close() }()
	fileB, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer func() { _ = fileB.Close() }()
	const chunk = 64 << 10
	blockA, blockB := make([]byte, chunk), make([]byte, chunk)
	for {
		n, errA := io.ReadFull(fileA, blockA)
		m, errB := io.ReadFull(fileB, blockB)
		if !bytes.Equal(blockA[:n], blockB[:m]) {
			return false, nil
		}
		if errors.Is(errA, io.EOF) || errors.Is(errA, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err := errors.Join(errA, errB); err != nil {
			return false, err
		}
	}
}

// makeKept makes a new directory in keptDir, named by the time. It follows no symbolic link
// out of the repository.
func makeKept(repo string, at time.Time) (string, error) {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }()
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

// keepFile links or copies a file or a symbolic link.
func keepFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		return linkOrCopy(from, to)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return os.Link(from, to) // a pipe, which must not be opened
	}
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}
