// Package packages provides the npm packages that a frontend imports, in the versions of
// the lockfile of its repository and without Node.js. It reads lockfiles of npm, Yarn and pnpm, downloads a
// package when it is first asked for, checks its integrity, and keeps it in a directory that
// repositories share. It runs no scripts, follows no links, and refuses packages that come from
// anywhere but the configured registries and the repository itself.
package packages

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/text"
)

// Package is a package as a lockfile names it.
type Package struct {
	Name      string // in its own package.json
	Version   string
	URL       string // of the tarball, if the lockfile names it
	Integrity string // such as "sha512-..."; "" if the lockfile has none for the tarball

	find      func(name string) *Package // what an import in the package refers to
	alias     string                     // by which it is imported, if that is not its name
	reference string                     // of Yarn 2 and later, such as "npm:1.0.0"
	refused   *RefusedError              // if what would be downloaded is not what is installed
}

// ErrNoLockfile is the error of a repository without a lockfile.
var ErrNoLockfile = errors.New("no package-lock.json, yarn.lock or pnpm-lock.yaml")

const maxLockfile = 64 << 20

// lock is a lockfile.
type lock struct {
	file    string // absolute
	manager string
	top     string // the directory that packages of the repository must be in, absolute
	// find returns what an import refers to in a file of the repository. The directory of the file is
	// slash-separated and relative to that of the lockfile.
	find func(dir, name string) *Package
	// hoisted, if it is not nil, returns what an import refers to in a package that does not require it.
	hoisted     func(name string) *Package
	integrities map[string]string // by "name@version", of packages that have one
}

// The package managers whose configuration differs. That of Yarn changed with version 2.
const (
	npm   = "npm"
	yarn1 = "yarn 1"
	yarn  = "yarn"
	pnpm  = "pnpm"
	bun   = "bun"
)

// readLock finds the lockfile in a directory or above it, up to a directory that contains .git.
func readLock(root string) (*lock, error) {
	readers := []struct {
		name    string
		read    func(l *lock, text []byte) error
		manager string
	}{
		{"package-lock.json", readNPM, npm},
		{"npm-shrinkwrap.json", readNPM, npm},
		{"yarn.lock", readYarn, yarn1},
		{"pnpm-lock.yaml", readPNPM, pnpm},
		{"bun.lock", readBun, bun},
		{"bun.lockb", readBun, bun},
	}
	if _, err := readPackageJSON(root); err != nil {
		return nil, err
	}
	boundary, isRepo := tree.Boundary(root)
	for dir := root; ; dir = filepath.Dir(dir) {
		for _, r := range readers {
			file := filepath.Join(dir, r.name)
			info, err := os.Stat(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil && info.Size() > maxLockfile {
				err = fmt.Errorf("%s is larger than %d MiB", file, maxLockfile>>20)
			}
			var text []byte
			if err == nil {
				text, err = os.ReadFile(file)
			}
			if err != nil {
				return nil, fmt.Errorf("read lockfile: %w", err)
			}
			top := boundary
			if !isRepo {
				top = dir
			}
			l := &lock{file: file, top: top, manager: r.manager, integrities: map[string]string{}}
			if err := r.read(l, text); err != nil {
				return nil, damaged(root, file, text, err)
			}
			return l, nil
		}
		if isRepo && dir == boundary || dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("%w in %s", ErrNoLockfile, root)
		}
	}
}

// damaged returns the error for a lockfile that cannot be read, with its place.
func damaged(root, file string, data []byte, err error) error {
	if rel, relErr := filepath.Rel(root, file); relErr == nil {
		file = filepath.ToSlash(rel)
	}
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset - 1 // of the byte after which the error was noticed
	} else if mismatch, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = mismatch.Offset - 1
	}
	if offset >= 0 {
		line, column := text.LineColumn(data, int(offset))
		file = fmt.Sprintf("%s:%d:%d", file, line, column)
	}
	return fmt.Errorf("%s: invalid lockfile: %w; restore it, or let the package manager write it again", file, err)
}

// packageJSON is what a package.json requires, by kind.
type packageJSON struct {
	Name                 string            `json:"name"`
	Workspaces           json.RawMessage   `json:"workspaces"` // patterns, or an object with "packages"
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	PeerDependencies     map[string]string `json:"peerDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	Resolutions          json.RawMessage   `json:"resolutions"`
}

// wants returns the range that package.json has for a package, or "".
func (p packageJSON) wants(name string) (wanted string, isPeer bool) {
	for _, list := range []map[string]string{p.Dependencies, p.OptionalDependencies, p.DevDependencies, p.PeerDependencies} {
		if r, ok := list[name]; ok {
			_, isPeer = p.PeerDependencies[name]
			return r, isPeer
		}
	}
	return "", false
}

func readPackageJSON(root string) (p packageJSON, err error) {
	text, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	return p, nil
}

// npmPackage is a package of package-lock.json. Version 1 nests what lies in its node_modules.
type npmPackage struct {
	Name, Version, Resolved, Integrity string
	Link                               bool
	Dependencies                       map[string]json.RawMessage
}

// parseNPM returns the packages of package-lock.json by path.
func parseNPM(text []byte) (map[string]npmPackage, error) {
	var lock struct {
		Packages     map[string]npmPackage
		Dependencies map[string]json.RawMessage // version 1
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	if lock.Packages == nil {
		lock.Packages = map[string]npmPackage{}
		return lock.Packages, flatten(lock.Packages, "", lock.Dependencies)
	}
	return lock.Packages, nil
}

// readNPM reads package-lock.json, which is a tree of directories.
func readNPM(l *lock, text []byte) error {
	packages, err := parseNPM(text)
	if err != nil {
		return err
	}
	byPath := map[string]*Package{}
	// in looks a package up as Node.js does: in the node_modules of the directory and of all above.
	in := func(dir, name string) *Package {
		for {
			if p := byPath[path.Join(dir, "node_modules", name)]; p != nil || dir == "" {
				return p
			}
			dir = inRepository(path.Dir(dir))
		}
	}
	for at, entry := range packages {
		_, name, ok := cutLast(at, "node_modules/")
		if !ok {
			continue
		}
		p := &Package{Name: cmp.Or(entry.Name, name), Version: entry.Version, URL: entry.Resolved, Integrity: entry.Integrity}
		if entry.Link {
			p.URL = "link:" + entry.Resolved
		}
		p.find = func(name string) *Package { return in(at, name) }
		byPath[at] = p
		if p.Integrity != "" {
			l.integrities[p.Name+"@"+p.Version] = p.Integrity
		}
	}
	l.find = func(dir, name string) *Package { return in(inRepository(dir), name) }
	return nil
}

// inRepository returns "" for ".".
func inRepository(dir string) string {
	if dir == "." {
		return ""
	}
	return dir
}

// flatten adds the packages of version 1 by their paths. The version of a package that does not
// come from a registry is its address, and that of an alias has the name of the package.
func flatten(to map[string]npmPackage, dir string, list map[string]json.RawMessage) error {
	for name, text := range list {
		var p npmPackage
		if err := json.Unmarshal(text, &p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if alias, ok := strings.CutPrefix(p.Version, "npm:"); ok {
			p.Name = rangeName(alias)
			p.Version = strings.TrimPrefix(alias, p.Name+"@")
		} else if strings.Contains(p.Version, ":") {
			p.Resolved = p.Version
		}
		at := path.Join(dir, "node_modules", name)
		to[at] = p
		if err := flatten(to, at, p.Dependencies); err != nil {
			return err
		}
	}
	return nil
}

func cutLast(s, separator string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}
