package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/slipway-dev/slipway/build"
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

// watchTree watches a directory and the directories below it that can contain source. It
// returns the files in them.
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

// isTemporary reports whether editors create a file with that name while they save
// another.
func isTemporary(name string) bool {
	for _, suffix := range []string{"~", ".tmp", ".swp", ".swx", ".bak", "___jb_tmp___", "___jb_old___"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name, "#") || name == "4913"
}

// filesIn returns the paths of the files in a directory and below.
func filesIn(dir string) (files []string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// partsOf returns what an event makes out of date. If the event is the creation of a
// directory, partsOf watches it, and the files in it count as well.
func (r *rebuilder) partsOf(watcher *fsnotify.Watcher, e fsnotify.Event) parts {
	if e.Op == fsnotify.Chmod || isIgnored(r.repo, e.Name) || r.isOutput(e.Name) {
		return parts{}
	}
	info, err := os.Lstat(e.Name)
	if err != nil && filepath.Ext(e.Name) == "" {
		return everything() // perhaps a directory was removed
	}
	if err != nil || !info.IsDir() {
		return r.partsOfFile(e.Name)
	}
	var all parts
	if e.Has(fsnotify.Create) {
		files, err := watchTree(watcher, r.repo, e.Name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.unwatched(e.Name, err)
		}
		for _, file := range files {
			all = all.with(r.partsOfFile(file))
		}
	}
	return all
}

// unwatched says that changes below a directory are not seen.
func (r *rebuilder) unwatched(dir string, err error) {
	fmt.Fprintf(r.stdout, "cannot watch all of %s: %v; after a change in it, start again\n", dir, err)
}

// partsOfFile returns what a change to a file makes out of date.
func (r *rebuilder) partsOfFile(file string) parts {
	rel, err := filepath.Rel(r.repo.Root, file)
	name := filepath.Base(file)
	if err != nil || isTemporary(name) {
		return parts{}
	}
	rel = filepath.ToSlash(rel)
	source, err := filepath.Rel(r.repo.Source, file)
	p := parts{other: err == nil && filepath.IsLocal(source)}
	isRoot := path.Dir(rel) == "."
	switch ext := path.Ext(rel); {
	case strings.HasSuffix(name, "_test.go"):
		return parts{}
	case name == config.FileName: // it configures everything
		return everything()
	case slices.Contains([]string{".go", ".mod", ".sum", ".work", ".s", ".c", ".h", ".cc", ".cpp", ".syso"}, ext):
		return parts{backend: true}
	case isRoot && (name == "package.json" || slices.Contains(build.Lockfiles(), name)):
		p = parts{frontend: true, packages: true, other: true}
	case build.IsImportable(name) && name != bundle.MetadataFile:
		p.frontend = true
	case isRoot && slices.Contains([]string{".md", ""}, ext): // documents
		p.other = true
	}
	p.frontend = p.frontend || r.isInput(rel)
	p.backend = p.backend || isEmbedded(r.repo.Root, file)
	return p
}

// isEmbedded reports whether a backend may embed a file: a Go file in a directory above
// it has a go:embed directive.
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
