package validate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open returns the tree and the options with which to validate a path of this
// machine as someone types it in the folder cwd. A path below cwd is validated
// in the tree of cwd; any other is put before the files of the report. So findings
// name files as they can be opened from cwd.
func Open(cwd, name string) (fs.FS, Options, error) {
	if name == "" {
		name = "."
	}
	typed := name
	if !filepath.IsAbs(name) {
		name = filepath.Join(cwd, name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, Options{}, fmt.Errorf("nothing to validate: %w", err)
	}
	base, rel, prefix := cwd, "", ""
	if r, err := filepath.Rel(cwd, name); err == nil && filepath.IsLocal(r) {
		rel = r
	} else if info.IsDir() {
		base, rel, prefix = name, ".", typed
	} else {
		base, rel, prefix = filepath.Dir(name), filepath.Base(name), filepath.Dir(typed)
	}
	return os.DirFS(base), Options{Path: filepath.ToSlash(rel), Prefix: filepath.ToSlash(prefix), RootName: filepath.Base(base)}, nil
}
