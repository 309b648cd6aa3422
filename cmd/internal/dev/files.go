package dev

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/config"
)

// parts lists what must be rebuilt after a change. The zero value means nothing.
type parts struct {
	backend  bool
	frontend bool
	packages bool // which the frontend imports; implies frontend
	other    bool // plugin.json, assets, and how they are checked
}

func everything() parts { return parts{true, true, true, true} }

func (p parts) with(q parts) parts {
	return parts{p.backend || q.backend, p.frontend || q.frontend, p.packages || q.packages, p.other || q.other}
}

// files are what a build found in a repository.
type files struct {
	inputs []string // that the frontend reads, relative to the root
	own    string   // the directory that the repository's own bundler writes to, or ""
}

// isOutput reports whether the repository's own bundler writes to a path.
func (f files) isOutput(path string) bool {
	rel, err := filepath.Rel(f.own, path)
	return f.own != "" && err == nil && filepath.IsLocal(rel)
}

// watchTree watches a directory and those below it that can have source, and returns the files in them.
func watchTree(w *fsnotify.Watcher, repo bundle.Repo, root string) (files []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path != root: // removed meanwhile
			return nil
		case err != nil:
			return err
		case !d.IsDir():
			files = append(files, path)
			return nil
		case path != repo.Root && isIgnored(repo, path):
			return filepath.SkipDir
		}
		if err := w.Add(path); !errors.Is(err, fs.ErrNotExist) { // or it was removed meanwhile
			return err
		}
		return nil
	})
	return files, err
}

// isIgnored reports whether a path in the repository is not source.
func isIgnored(repo bundle.Repo, path string) bool {
	rel, err := filepath.Rel(repo.Root, path)
	if err != nil {
		return true
	}
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(part, ".") || part == "node_modules" {
			return true
		}
	}
	return rel == bundle.DistDir || strings.HasPrefix(rel, bundle.DistDir+string(filepath.Separator))
}

// isTemporary reports whether editors create a file of that name while they save.
func isTemporary(name string) bool {
	suffixes := []string{"~", ".tmp", ".swp", ".swx", ".bak", "___jb_tmp___", "___jb_old___"}
	return strings.HasPrefix(name, "#") || name == "4913" ||
		slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// partsOfFile returns what a change to a file makes out of date.
func partsOfFile(repo bundle.Repo, known files, file string) parts {
	rel, err := filepath.Rel(repo.Root, file)
	name := filepath.Base(file)
	if err != nil || isTemporary(name) {
		return parts{}
	}
	rel = filepath.ToSlash(rel)
	source, err := filepath.Rel(repo.Source, file)
	p := parts{other: err == nil && filepath.IsLocal(source)}
	isRoot := path.Dir(rel) == "."
	switch ext := path.Ext(rel); {
	case strings.HasSuffix(name, "_test.go"):
		return parts{}
	case name == config.FileName: // it configures everything
		return everything()
	case slices.Contains([]string{".go", ".mod", ".sum", ".work", ".s", ".c", ".h", ".cc", ".cpp", ".syso"}, ext):
		return parts{backend: true}
	case isRoot && slices.Contains([]string{"package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"}, name):
		p = parts{frontend: true, packages: true, other: true}
	case isImportable(name) && name != bundle.MetadataFile:
		p.frontend = true
	case isRoot && slices.Contains([]string{".md", ""}, ext): // documents
		p.other = true
	}
	p.frontend = p.frontend || slices.Contains(known.inputs, rel)
	p.backend = p.backend || isEmbedded(repo.Root, file)
	return p
}

// isImportable reports whether a script or a style sheet may import a file of that name.
func isImportable(name string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".css", ".scss", ".sass", ".less"}, path.Ext(name))
}

// isEmbedded reports whether a Go file in a directory above a file embeds others.
func isEmbedded(root, file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		names, _ := filepath.Glob(filepath.Join(dir, "*.go")) // fails if dir looks like a bad pattern
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, []byte("\n//go:embed ")) {
				return true
			}
		}
		if dir == root || len(dir) <= len(root) {
			return false
		}
	}
}
