package packages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
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

// workspaces holds the packages of a repository that share its yarn.lock. It is safe for
// concurrent use.
type workspaces struct {
	root string // of the lockfile, absolute

	mu      sync.Mutex
	read    map[string]packageJSON // by directory; zero for those without a package.json
	members map[string]string      // directories by package name; nil until needed
}

// wants returns the range that the package.json next to a file or above it has for a package, "" if none has
// one, and the workspace of that package.json.
func (w *workspaces) wants(dir, name string) (from *Package, wanted string, isPeer bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		p := w.packageJSON(dir)
		if wanted, isPeer = p.wants(name); wanted != "" || dir == "." {
			return &Package{Name: cmp.Or(p.Name, "package.json"), reference: "workspace:" + dir}, wanted, isPeer
		}
		dir = path.Dir(dir)
	}
}

func (w *workspaces) packageJSON(dir string) packageJSON {
	p, ok := w.read[dir]
	if !ok {
		if w.read == nil {
			w.read = map[string]packageJSON{}
		}
		p, _ = readPackageJSON(filepath.Join(w.root, filepath.FromSlash(dir))) // most directories have none
		w.read[dir] = p
	}
	return p
}

// member returns the workspace of that name, which Yarn 1 leaves out of yarn.lock, or nil.
func (w *workspaces) member(name string) *Package {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.members == nil {
		w.members = map[string]string{}
		for _, pattern := range w.packageJSON(".").patterns() {
			dirs, _ := fs.Glob(os.DirFS(w.root), path.Clean(pattern)) // a bad pattern matches nothing
			for _, dir := range dirs {
				w.members[w.packageJSON(dir).Name] = dir
			}
		}
	}
	if dir, ok := w.members[name]; ok {
		return &Package{Name: name, URL: "workspace:" + dir}
	}
	return nil
}

// patterns returns the patterns of the directories of a repository's workspaces.
func (p packageJSON) patterns() []string {
	var object struct{ Packages []string }
	if json.Unmarshal(p.Workspaces, &object.Packages) != nil {
		_ = json.Unmarshal(p.Workspaces, &object) // absent in most repositories
	}
	return object.Packages
}
