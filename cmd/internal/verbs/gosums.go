package verbs

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/atomicfile"
)

// goSumsFile lists the Go files of a plugin in dist. Grafana's catalog compares it with the
// sources of the plugin.
const goSumsFile = "go_plugin_build_manifest"

// GoSums writes go_plugin_build_manifest into dist, in the form of Grafana's SDK: a line
// "<sha256 in hexadecimal>:<path>" per Go file of the repository, except those in its
// node_modules. A build sets the file aside, since it is not one of its own.
func GoSums(w io.Writer, dir string) error {
	repo, err := bundle.OpenRepo(dir)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: err}
	}
	root, err := os.OpenRoot(repo.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := os.MkdirAll(repo.Dist, 0o755); err != nil {
		return err
	}
	file := filepath.Join(repo.Dist, goSumsFile)
	if err := atomicfile.Write(file, 0o644, func(w io.Writer) error { return writeGoSums(w, root) }); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", shortPath(file))
	return nil
}

func writeGoSums(w io.Writer, root *os.Root) error {
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == "node_modules":
			return fs.SkipDir
		case !d.Type().IsRegular() || path.Ext(name) != ".go":
			return nil
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%x:%s\n", sum.Sum(nil), name)
		return err
	})
}
