package verbs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle/gitignore"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/atomicfile"
	"github.com/slipway-dev/slipway/internal/terminal"
)

// ignore lets Git ignore a directory of a plugin repository that Slipway has made, or is about to make.
func ignore(repo, dir string) error {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return err
	}
	return errors.Join(gitignore.Make(root, dir), root.Close())
}

// writeTo writes to w, or to the file output, which appears complete or not at all.
// Anything but a regular file, such as /dev/stdout or a symbolic link, is opened and
// written to: a rename would replace it. But a link that is part of a repository is refused.
func writeTo(w *os.File, output string, write func(w io.Writer, hasColor bool) error) error {
	if output == "" {
		return write(w, terminal.HasColor(w))
	}
	if _, err := tree.Destination(output); err != nil {
		return err
	}
	if info, err := os.Lstat(output); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(write(f, false), f.Close())
	}
	dir := filepath.Dir(output)
	if info, err := os.Stat(dir); err != nil {
		return err // which names the directory
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	return atomicfile.Write(output, 0o644, func(w io.Writer) error { return write(w, false) })
}
