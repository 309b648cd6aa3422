package provenance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/bundle/zipfs"
)

// Source is a plugin repository to compare with.
type Source struct {
	plan *build.Plan
	tree *tree.Tree // of the repository; what is read is in the Git repository around it
	temp string     // the directory that a zip was unpacked to, or ""
}

// Open opens a directory or a zip with a plugin repository, which may be in the only directory of the
// zip. Rules are the names that its slipway.yaml may mention. The caller must close the Source.
func Open(name string, rules []string) (*Source, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	s := &Source{}
	dir := name
	if !info.IsDir() {
		if s.temp, err = os.MkdirTemp("", "slipway-source-"); err == nil {
			dir, err = unpack(name, s.temp)
		}
	}
	if err == nil {
		err = s.open(dir, rules)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Source) open(dir string, rules []string) error {
	repo, err := bundle.OpenRepo(dir)
	if err != nil {
		return err
	}
	if s.tree, err = tree.Open(repo.Root); err != nil {
		return err
	}
	c := &config.Config{}
	file, err := config.Find(repo.Root, repo.Root)
	if err == nil && file != "" {
		c, err = config.Read(file, config.FileName, rules)
	}
	if err != nil {
		return fmt.Errorf("configuration of the source: %w", err)
	}
	s.plan, err = build.PlanSources(repo, c.Frontend)
	return err
}

// FS returns the files of the repository.
func (s *Source) FS() fs.FS { return s.tree }

// Close closes the repository, and removes what was unpacked.
func (s *Source) Close() (err error) {
	if s.tree != nil {
		err = s.tree.Close()
	}
	if s.temp != "" {
		err = errors.Join(err, os.RemoveAll(s.temp))
	}
	return err
}

// unpack unpacks the regular files of a zip, and returns the directory of the repository in it.
func unpack(name, to string) (dir string, err error) {
	a, err := zipfs.Open(name)
	if err != nil {
		return "", err
	}
	defer a.Close()
	if a.Refusal != "" {
		return "", fmt.Errorf("the zip was not read: %s", a.Refusal)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = fs.WalkDir(a, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return root.MkdirAll(filepath.FromSlash(name), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		return copyTo(root, a, name)
	})
	entries, _ := fs.ReadDir(a, ".")
	if len(entries) == 1 && entries[0].IsDir() { // as code hosts pack a repository
		to = filepath.Join(to, filepath.FromSlash(entries[0].Name()))
	}
	return to, err
}

func copyTo(root *os.Root, from fs.FS, name string) error {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.Create(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// read opens a regular file of the repository, or around it.
func (s *Source) read(name string) (fs.File, error) {
	f, err := s.tree.OpenAround(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (s *Source) has(name string) bool { return s.look(name) == nil }

// look returns an error unless the repository has a file: tree.ErrOutside for one that is not in the Git repository.
func (s *Source) look(name string) error {
	f, err := s.read(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// dir returns the directory of plugin.json, a slash path relative to the root.
func (s *Source) dir() string {
	rel, err := filepath.Rel(s.plan.Repo.Root, s.plan.Repo.Source)
	if err != nil {
		return "."
	}
	return filepath.ToSlash(rel)
}
