// Package atomicfile writes files that appear complete or not at all.
//
// It removes its temporary file, beside the target, after any error. Below a root, such as that of a repository that
// somebody else has made, it writes through no symbolic link: Check says why.
package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write creates or replaces a file, or a symbolic link, with what content writes. Its directory must exist. If content
// returns an error, the file stays as it is.
func Write(name string, mode fs.FileMode, content func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer root.Close()
	return write(root, filepath.Base(name), mode, content)
}

// WriteIn creates or replaces a file below a root that passes Check. It makes the directories that are missing.
func WriteIn(root *os.Root, name string, mode fs.FileMode, data []byte) error {
	name = filepath.FromSlash(name)
	if err := Check(root, name); err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return &fs.PathError{Op: "create", Path: filepath.Join(root.Name(), name), Err: errors.Unwrap(err)}
	}
	return write(root, name, mode, Bytes(data))
}

// Bytes returns content that consists of data.
func Bytes(data []byte) (content func(io.Writer) error) {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func write(root *os.Root, name string, mode fs.FileMode, content func(io.Writer) error) error {
	tmp := filepath.Join(filepath.Dir(name), ".slipway-"+rand.Text())
	file := filepath.Join(root.Name(), name) // what errors name instead of tmp
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return &fs.PathError{Op: "create", Path: file, Err: errors.Unwrap(err)}
	}
	if err := errors.Join(content(f), f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	if err := root.Rename(tmp, name); err != nil {
		return errors.Join(&fs.PathError{Op: "rename", Path: file, Err: errors.Unwrap(err)}, root.Remove(tmp))
	}
	return nil
}

// Check returns an error if a path below a root is, or leads through, a symbolic link or a .git. An os.Root follows links
// that stay inside: with a link to .git, whoever made a repository would choose the programs that Git runs.
func Check(root *os.Root, name string) error {
	git, _ := root.Lstat(".git") // which may have more names on Windows and macOS
	at := ""
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		at = filepath.Join(at, part)
		info, err := root.Lstat(at)
		switch {
		case strings.EqualFold(part, ".git"), os.SameFile(info, git):
			return fmt.Errorf("%q belongs to Git: write elsewhere", filepath.ToSlash(at))
		case err == nil && info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%q is a symbolic link, which could lead anywhere: replace it with what it points to", filepath.ToSlash(at))
		}
	}
	return nil
}

// ErrIrregular is the error for a directory, a named pipe, a socket or a device in the place of a file.
var ErrIrregular = errors.New("not a regular file")

// Stat describes a file below a root that passes Check and is regular: one that may be read, and then replaced.
func Stat(root *os.Root, name string) (fs.FileInfo, error) {
	if err := Check(root, name); err != nil {
		return nil, err
	}
	info, err := root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular
	}
	return info, err
}

// Below returns the path of a file or directory below a root that passes Check.
func Below(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.FromSlash(name)), errors.Join(Check(root, name), root.Close())
}
