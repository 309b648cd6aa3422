//go:build unix

package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkOwner returns an error if another user could have written the file that holds the
// key for secrets, or could replace it. The file and its directory need not exist.
func checkOwner(file string) error {
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&0o002 != 0 {
		return fmt.Errorf("every user can write to the data directory %s, which holds the key for secrets: "+
			"use a directory of your own in it, or remove the permission with: chmod o-w %s", dir, dir)
	}
	info, err = os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", file)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 0 && int(owner) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, who can read the key: if you trust that user, make the file yours with: chown %d %s; "+
			"if not, use another data directory", file, owner, os.Geteuid(), file)
	}
	if info.Mode()&0o022 != 0 {
		return fmt.Errorf("other users can write to %s: if you trust its content, protect it with: chmod 600 %s; "+
			"if not, use another data directory", file, file)
	}
	return nil
}
