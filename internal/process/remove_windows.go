package process

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

const removeFor = 2 * time.Second

// RemoveAll removes the directory of a process that has ended. Its executable may stay
// open for a moment: until its children have ended, and while a virus scanner reads it.
func RemoveAll(dir string) error {
	for end := time.Now().Add(removeFor); ; time.Sleep(20 * time.Millisecond) {
		err := os.RemoveAll(dir)
		if errors.Is(err, windows.ERROR_INVALID_FUNCTION) {
			err = removeByName(dir)
		}
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// removeByName removes a directory where the system lacks FileDispositionInformationEx,
// which os.RemoveAll needs. Wine 8 does.
func removeByName(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if e.IsDir() { // false for links
			err = errors.Join(err, removeByName(file))
		} else {
			err = errors.Join(err, os.Remove(file))
		}
	}
	return errors.Join(err, os.Remove(dir))
}
