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

// Open returns the tree and the options with which to validate a path of this
// machine as someone types it in the folder cwd. A path below cwd is validated
// in the tree of cwd; any other is put before the files of the report. So findings
// name files as they can be opened from cwd. Of a zip the tree is an
// archive.Archive, to be closed.
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

// Stdin is the name of a plugin.json that was read from standard input.
const Stdin = "<stdin>"

// OpenReader returns the tree and the options with which to validate one plugin.json
// that has no files around it, as an editor or a pipe has it. Its name in the report
// is Stdin.
func OpenReader(r io.Reader) (fs.FS, Options, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1)) // a longer one is refused later
	if err != nil {
		return nil, Options{}, fmt.Errorf("read standard input: %w", err)
	}
	return lone{name: Stdin, data: data}, Options{Path: Stdin, IsAlone: true}, nil
}

// isZip says whether a file is meant as a zip, by its name or its first bytes.
func isZip(name string) bool {
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		return true
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, 4)
	n, _ := f.Read(begin)
	return string(begin[:n]) == "PK\x03\x04"
}
