package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// GoSumsFile lists the Go files of a plugin, in dist. Grafana's catalog compares it with the
// sources of the plugin, and refuses a backend without it.
const GoSumsFile = "go_plugin_build_manifest"

// addGoSums lists the Go files for a backend that is compiled for Grafana, but not for a host that serves dist.
func (p *Plan) addGoSums(_ context.Context, staging string, _ *Result) error {
	key := "/dependencies/" + bundle.Published().DependencyKey
	isPublished := func(d document) bool {
		doc, err := bundle.ParseDocument(d.to, d.data)
		return err == nil && doc.Has(key)
	}
	if len(p.Commands) == 0 || p.options.Update || !slices.ContainsFunc(p.documents, isPublished) {
		return nil
	}
	var list strings.Builder
	if err := WriteGoSums(&list, p.Repo.Root); err != nil {
		return fmt.Errorf("list the Go files: %w", err)
	}
	return writeFile(filepath.Join(staging, GoSumsFile), []byte(list.String()))
}

// WriteGoSums lists the Go files of a repository in the form of Grafana's SDK: a line
// "<sha256 in hexadecimal>:<path>" for each. Files in node_modules are not part of the sources.
func WriteGoSums(w io.Writer, repo string) error {
	root, err := os.OpenRoot(repo)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || strings.HasPrefix(name, ".slipway")):
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
