package validate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open returns the tree and the options with which to validate a path of this
// machine as someone types it in the folder cwd. A path below cwd is validated
// in the tree of cwd, so that findings name files as they are typed there.
func Open(cwd, name string) (fs.FS, Options, error) {
	if name == "" {
		name = "."
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, Options{}, fmt.Errorf("nothing to validate: %w", err)
	}
	base, rel := cwd, ""
	if r, err := filepath.Rel(cwd, name); err == nil && filepath.IsLocal(r) {
		rel = r
	} else if info.IsDir() {
		base, rel = name, "."
	} else {
		base, rel = filepath.Split(name)
	}
	return os.DirFS(base), Options{Path: filepath.ToSlash(rel), RootName: filepath.Base(base)}, nil
}
