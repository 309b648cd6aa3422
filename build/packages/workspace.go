package packages

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// local returns the directory or the tarball that the address of a package names,
// slash-separated and relative to the lockfile. ok is false for any other address.
func local(address string) (file string, ok bool) {
	for _, protocol := range []string{"workspace:", "link:", "portal:", "file:"} {
		dir, ok := strings.CutPrefix(address, protocol)
		if !ok {
			continue
		}
		// Yarn appends which package the path is relative to: ./a::locator=b%40workspace%3Apackages%2Fb
		dir, bindings, _ := strings.Cut(dir, "::")
		dir, _, _ = strings.Cut(dir, "#")
		values, _ := url.ParseQuery(bindings) // without bindings, the path is relative to the lockfile
		_, base, _ := strings.Cut(values.Get("locator"), "workspace:")
		if path.IsAbs(dir) || filepath.IsAbs(dir) {
			return dir, true
		}
		return path.Join(base, dir), true
	}
	return "", false
}

// localFile returns the directory or the tarball of a package that is part of the repository.
func (s *Store) localFile(p *Package, at string) (file string, isDir bool, err error) {
	abs := filepath.FromSlash(at)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(filepath.Dir(s.lock.file), abs)
	}
	if !isInside(s.lock.top, abs) {
		return "", false, fmt.Errorf("%s comes from %q, which is outside the repository: only packages in it or from a registry are used", p.Name, at)
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", p.Name, err)
	}
	top, err := filepath.EvalSymlinks(s.lock.top)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", p.Name, err)
	}
	if !isInside(top, real) {
		return "", false, fmt.Errorf("%s comes from %q, a link that leads outside the repository", p.Name, at)
	}
	info, err := os.Stat(real)
	if err != nil {
		return "", false, fmt.Errorf("%s: %w", p.Name, err)
	}
	if !info.IsDir() && !(strings.HasPrefix(p.URL, "file:") && info.Mode().IsRegular()) {
		return "", false, fmt.Errorf("%s comes from %q, which is not a directory: only packages in a directory, a tarball or a registry are used", p.Name, at)
	}
	return real, info.IsDir(), nil
}

func isInside(dir, file string) bool {
	rel, err := filepath.Rel(dir, file)
	return err == nil && filepath.IsLocal(rel)
}

// manifests returns, by directory, the package.json files of the repository that determine versions: those of the
// directories from the lockfile to the plugin, and of workspaces.
func (l *lock) manifests() map[string]packageJSON {
	base, dirs := filepath.Dir(l.file), slices.Collect(maps.Keys(l.importers))
	if below, err := filepath.Rel(base, l.root); err == nil {
		for dir := filepath.ToSlash(below); dir != path.Dir(dir); dir = path.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	top, _ := readPackageJSON(base) // the same as below
	for _, pattern := range top.patterns() {
		found, _ := fs.Glob(os.DirFS(base), path.Clean(pattern)) // a bad pattern matches nothing
		dirs = append(dirs, found...)
	}
	manifests := map[string]packageJSON{}
	for _, dir := range dirs {
		if !filepath.IsLocal(filepath.FromSlash(dir)) || strings.Contains(dir, "node_modules") {
			continue
		}
		if p, err := readPackageJSON(filepath.Join(base, filepath.FromSlash(dir))); err == nil { // many have none
			manifests[dir] = p
		}
	}
	return manifests
}

// patterns returns the patterns of the directories of a repository's workspaces.
func (p packageJSON) patterns() []string {
	var object struct{ Packages []string }
	if json.Unmarshal(p.Workspaces, &object.Packages) != nil {
		_ = json.Unmarshal(p.Workspaces, &object) // absent in most repositories
	}
	return object.Packages
}
