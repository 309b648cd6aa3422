package packages

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// contentsName is the file of a package in the cache that lists the sizes and the names of its
// files. A crash of the system may leave files empty, and programs that clean caches remove some.
const contentsName = "contents"

// writeContents lists the files below a directory.
func writeContents(dir string) error {
	var list strings.Builder
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		fmt.Fprintf(&list, "%d %q\n", info.Size(), filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, contentsName), []byte(list.String()+"\n"), 0o644)
}

// isIntact reports whether all files of a package in the cache are there, with their sizes.
func isIntact(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, contentsName))
	list, isComplete := strings.CutSuffix(string(text), "\n\n")
	if err != nil || !isComplete {
		return false
	}
	for line := range strings.SplitSeq(list, "\n") {
		size, quoted, _ := strings.Cut(line, " ")
		name, err := strconv.Unquote(quoted)
		if err != nil {
			return false
		}
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || !info.Mode().IsRegular() || strconv.FormatInt(info.Size(), 10) != size {
			return false
		}
	}
	return true
}
