package archive

import (
	"errors"
	"os"
	"path/filepath"
)

// writeFile writes a file completely or not at all.
func writeFile(name string, data []byte) error {
	return writeWith(name, func(f *os.File) error {
		_, err := f.Write(data)
		return err
	})
}

// writeWith writes a file completely or not at all.
func writeWith(name string, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the first error counts
		}
	}()
	err = write(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
