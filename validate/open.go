package validate

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/validate/archive"
)

// Open returns the tree and the options for validating a path, which may be relative to
// the directory cwd. The findings name files as they can be opened from cwd: a path
// below cwd is validated in the tree of cwd, and any other becomes Options.Prefix. The
// tree of a zip is an archive.Archive, which the caller must close.
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
	if info.Mode().IsRegular() && isZip(name) {
		a, err := archive.Open(name, archive.Limits{})
		if err != nil {
			return nil, Options{}, fmt.Errorf("%s: %w", typed, err)
		}
		return a, Options{Prefix: filepath.ToSlash(filepath.Clean(typed))}, nil
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

// Stdin is the name of a plugin.json from standard input.
const Stdin = "<stdin>"

// OpenReader returns the tree and the options for validating one plugin.json without the
// files around it, such as the contents of an editor. Its name in the report is Stdin.
func OpenReader(r io.Reader) (fs.FS, Options, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1)) // Run rejects a larger one
	if err != nil {
		return nil, Options{}, fmt.Errorf("read standard input: %w", err)
	}
	return lone{name: Stdin, data: data}, Options{Path: Stdin, IsAlone: true}, nil
}

// isZip reports whether a file is a zip according to its name or its first bytes.
func isZip(name string) bool {
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	n, _ := f.Read(magic)
	return string(magic[:n]) == "PK\x03\x04"
}
