package packages

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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

func writeContents(dir string) error {
	text, err := contents(dir)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, contentsName), []byte(text), 0o644)
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
