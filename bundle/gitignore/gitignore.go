// Package gitignore keeps files that must not be committed out of what Git sees, wherever
// they are created: a repository need not have a .gitignore that knows Slipway.
//
// It does not read the rules of a repository, and never replaces a .gitignore.
package gitignore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// FileName is the name of the file in which Git finds what to ignore.
const FileName = ".gitignore"

// All is the content of a .gitignore that ignores its directory, with itself.
const All = "*\n"

// Make creates a directory below root that belongs to Slipway, unless it exists, and lets
// Git ignore it.
func Make(root *os.Root, dir string) error {
	name := filepath.Join(filepath.FromSlash(dir), FileName)
	if err := atomicfile.Check(root, name); err != nil {
		return err
	}
	if _, err := root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return write(root, name, All)
}

// MakeFor creates a directory, unless it exists, in which files with the given names will be
// written, and lets Git ignore them. The names may contain stars. If the directory has no other
// files, it is ignored as a whole; otherwise the names are added to its .gitignore, if it is part of a
// repository.
func MakeFor(dir string, mode fs.FileMode, names ...string) error {
	isRepo, err := tree.Destination(filepath.Join(dir, FileName))
	if err == nil {
		err = os.MkdirAll(dir, mode)
	}
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	isOther := func(e fs.DirEntry) bool {
		return !slices.ContainsFunc(names, func(pattern string) bool {
			match, err := filepath.Match(pattern, e.Name())
			return match && err == nil
		})
	}
	if !slices.ContainsFunc(entries, isOther) {
		return write(root, FileName, All)
	}
	if !isRepo {
		return nil
	}
	known, err := root.ReadFile(FileName)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := string(known)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	lines, before := slices.Collect(strings.Lines(text)), text
	for _, name := range names {
		if line := "/" + name + "\n"; !slices.Contains(lines, line) && !slices.Contains(lines, All) {
			text += line
		}
	}
	if text == before {
		return nil
	}
	return write(root, FileName, text)
}

func write(root *os.Root, name, text string) error {
	if err := atomicfile.WriteIn(root, name, 0o644, []byte(text)); err != nil {
		return fmt.Errorf("let Git ignore %s: %w", filepath.Join(root.Name(), filepath.Dir(name)), err)
	}
	return nil
}
