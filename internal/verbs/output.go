package verbs

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// writeTo writes to w, or to the file output, which appears complete or not at all.
// Anything but a regular file, such as /dev/stdout or a symbolic link, is opened and
// written to: a rename would replace it.
func writeTo(w *os.File, output string, write func(w io.Writer, hasColor bool) error) error {
	if output == "" {
		return write(w, isTerminal(w) && os.Getenv("NO_COLOR") == "")
	}
	if info, err := os.Lstat(output); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(write(f, false), f.Close())
	}
	tmp, err := os.CreateTemp(filepath.Dir(output), ".slipway-report-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	if err = errors.Join(write(tmp, false), tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), output)
}
