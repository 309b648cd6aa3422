package packages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// stagingPrefix begins the names of the directories in the cache that packages are unpacked in.
const (
	stagingPrefix = ".staging-"
	staleAfter    = 24 * time.Hour
)

// maxTries limits how often a download is tried, as npm does.
const maxTries = 3

// transient is an error after which a download may succeed: of the network, or of a server that is
// busy.
type transient struct{ error }

func (t transient) Unwrap() error { return t.error }

// fetch unpacks a package from a file, or from its registry if file is "", unless the package
// is in the cache. It appears there atomically.
func (s *Store) fetch(ctx context.Context, p *Package, file string) error {
	final := s.dir(p.key())
	if isIntact(final) {
		return nil
	}
	if file == "" && s.options.Offline {
		if _, err := s.registries.tarball(p); err != nil {
			return err
		}
		return ErrMissing
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := os.MkdirAll(s.options.CacheDir, 0o755); err != nil {
		return err
	}
	s.sweep.Do(func() { removeStaging(s.options.CacheDir) })
	staging, err := os.MkdirTemp(s.options.CacheDir, stagingPrefix)
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(staging) }()
	tarball, err := s.obtain(ctx, p, file, staging)
	if err != nil {
		return err
	}
	defer tarball.Close()
	name, out := filepath.FromSlash(cmp.Or(p.alias, p.Name)), filepath.Join(staging, "out")
	if !filepath.IsLocal(name) {
		return errors.New("its name is not a valid path")
	}
	target := filepath.Join(out, "node_modules", name)
	if err := os.MkdirAll(target, 0o755); err != nil {
		return err
	}
	if err := unpack(target, tarball); err != nil {
		return err
	}
	text, err := contents(out)
	if err == nil {
		err = os.WriteFile(filepath.Join(out, contentsName), []byte(text), 0o644)
	}
	if err != nil {
		return err
	}
	if exists(final) && !isIntact(final) {
		if err := os.Rename(final, filepath.Join(staging, "damaged")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("replace the damaged package %s: %w; remove that directory", final, err)
		}
	}
	err = os.Rename(out, final)
	if errors.Is(err, fs.ErrExist) || err != nil && exists(final) {
		return nil // another process was faster
	}
	return err
}

// obtain returns a verified tarball, which the caller must close: that of a file, or else of the
// registry, whose errors that may pass are tried again.
func (s *Store) obtain(ctx context.Context, p *Package, file, staging string) (*os.File, error) {
	tarball, err := os.Create(filepath.Join(staging, "tarball"))
	if err != nil {
		return nil, err
	}
	for try, pause := 1, s.options.Pause; ; try, pause = try+1, 2*pause {
		err := s.copyTarball(ctx, tarball, p, file)
		if err == nil {
			return tarball, nil
		}
		if _, isTransient := errors.AsType[transient](err); !isTransient || try == maxTries {
			return nil, errors.Join(err, tarball.Close())
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), tarball.Close())
		}
	}
}

// copyTarball writes a tarball that has its integrity, and seeks to its start.
func (s *Store) copyTarball(ctx context.Context, to *os.File, p *Package, file string) error {
	from, integrity, err := s.open(ctx, p, file)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := to.Truncate(0); err != nil {
		return err
	}
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return err
	}
	n, err := verify(to, from, integrity)
	if err != nil {
		return err
	}
	if file == "" {
		s.downloaded.Add(1)
		s.bytes.Add(n)
	}
	_, err = to.Seek(0, io.SeekStart)
	return err
}

// open returns the tarball of a package and the integrity that it must have.
func (s *Store) open(ctx context.Context, p *Package, file string) (tarball io.ReadCloser, integrity string, err error) {
	if file != "" {
		tarball, err := os.Open(file)
		return tarball, p.Integrity, err
	}
	at, err := s.registries.tarball(p)
	if err != nil {
		return nil, "", err
	}
	integrity = p.Integrity
	if integrity == "" {
		if integrity, err = s.registries.integrity(ctx, p); err != nil {
			return nil, "", err
		}
	}
	tarball, err = s.registries.get(ctx, p, at, "")
	return tarball, integrity, err
}

// removeStaging removes what killed processes left behind.
func removeStaging(cacheDir string) {
	entries, _ := os.ReadDir(cacheDir) // the next run tries again
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), stagingPrefix) && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(filepath.Join(cacheDir, e.Name()))
		}
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// contentsName is the file of a package in the cache that has the number and the size of its files. A crash of
// the system may leave files empty, and programs that clean caches remove some.
const contentsName = "contents"

// contents describes the files in the node_modules of a directory.
func contents(dir string) (string, error) {
	var files, bytes int64
	err := filepath.WalkDir(filepath.Join(dir, "node_modules"), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	})
	return fmt.Sprintf("%d files, %d bytes\n", files, bytes), err
}

// isIntact reports whether all files of a package in the cache are there, with their sizes.
func isIntact(dir string) bool {
	want, err := os.ReadFile(filepath.Join(dir, contentsName))
	if err != nil {
		return false
	}
	got, err := contents(dir)
	return err == nil && got == string(want)
}
