package fix

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// ErrChanged is the error for a file that is not as it was when it was read.
var ErrChanged = errors.New("it has changed since it was read: run again")

// Write makes the changes in a folder, each file at once or not at all, and keeps
// its mode. It returns those that it made; the errors name the files that it left
// as they are.
func Write(root *os.Root, changes []Change) (written []Change, err error) {
	var faults []error
	for _, c := range changes {
		if err := c.write(root); err != nil {
			faults = append(faults, fmt.Errorf("%s was not mended: %w", c.File, err))
			continue
		}
		written = append(written, c)
	}
	return written, errors.Join(faults...)
}

func (c *Change) write(root *os.Root) error {
	info, err := root.Lstat(c.File)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return errors.New("it is a symbolic link: validate the file that it leads to")
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no regular file")
	}
	mode := info.Mode().Perm()
	if c.MakeExecutable {
		mode = executable(mode)
	}
	if c.isOnlyMode() {
		return root.Chmod(c.File, mode)
	}
	tmp := path.Join(path.Dir(c.File), ".slipway-fix-"+rand.Text())
	defer func() { _ = root.Remove(tmp) }() // gone once it was renamed
	if err := c.writeTo(root, tmp, mode); err != nil {
		return err
	}
	if now, err := root.ReadFile(c.File); err != nil || !bytes.Equal(now, c.Before) {
		return errors.Join(err, ErrChanged)
	}
	return root.Rename(tmp, c.File)
}

func (c *Change) writeTo(root *os.Root, name string, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(c.After)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}
