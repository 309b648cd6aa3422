// Package packages provides the npm packages that a frontend imports, in the versions of
// the lockfile of its repository and without Node.js. It reads lockfiles of npm, Yarn and pnpm, downloads a
// package when it is first asked for, checks its integrity, and keeps it in a directory that
// repositories share. It runs no scripts, follows no links, and refuses packages that come from
// anywhere but the configured registries and the repository itself.
package packages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/internal/text"
)

// Package is a package as a lockfile names it.
type Package struct {
	Name      string // in its own package.json
	Version   string
	URL       string // of the tarball, if the lockfile names it
	Integrity string // such as "sha512-..."; "" if the lockfile has none for the tarball

	scope   *scope        // what it imports; packages are those that it requires
	alias   string        // by which it is imported, if that is not its name
	locator string        // by which the lockfile names it, such as "a@npm:1.0.0"
	refused *RefusedError // if what would be downloaded is not what is installed
}

// scope is what the names in imports refer to in a directory or in a package.
type scope struct {
	packages map[string]*Package
	outer    *scope // of other names, or nil
}

func (p *Package) requires() map[string]*Package {
	if p.scope == nil { // it is refused, or part of the repository
		return nil
	}
	return p.scope.packages
}

func (s *scope) find(name string) *Package {
	for ; s != nil; s = s.outer {
		if p := s.packages[name]; p != nil {
			return p
		}
	}
	return nil
}

// ErrNoLockfile is the error of a repository without a lockfile.
var ErrNoLockfile = errors.New("no package-lock.json, yarn.lock or pnpm-lock.yaml")

// lock is a lockfile as a graph, which the reader of its format fills in.
type lock struct {
	file    string // absolute
	root    string // of the plugin repository, absolute
	manager string
	top     string   // the directory that packages of the repository must be in, absolute
	unread  []string // names of lockfiles of other managers in the same directory

	// importers are the scopes of the repository by the directory with a package.json or node_modules,
	// slash-separated and relative to that of the lockfile. There is one of ".".
	importers   map[string]*scope
	hoisted     *scope            // what packages find although they do not require it, or nil
	integrities map[string]string // by "name@version", of packages that have one
}

// importer returns the scope of a directory, and makes it if needed.
func (l *lock) importer(dir string) *scope {
	if l.importers[dir] == nil {
		l.importers[dir] = &scope{packages: map[string]*Package{}}
	}
	return l.importers[dir]
}

// nest puts the scope of each directory into that of the directory above.
func (l *lock) nest() {
	for dir, s := range l.importers {
		if dir != "." {
			s.outer = l.above(path.Dir(dir))
		}
	}
}

// above returns the scope of a directory or of the nearest above it.
func (l *lock) above(dir string) *scope {
	for ; l.importers[dir] == nil && dir != path.Dir(dir); dir = path.Dir(dir) {
	}
	return l.importers[dir]
}

// packages returns all packages, those nearest to the repository first.
func (l *lock) packages() (all []*Package) {
	seen := map[*Package]bool{}
	var level []map[string]*Package
	for _, s := range l.importers {
		for ; s != nil; s = s.outer {
			level = append(level, s.packages)
		}
	}
	for len(level) > 0 {
		start := len(all)
		for _, required := range level {
			for _, p := range required {
				if !seen[p] {
					seen[p], all = true, append(all, p)
				}
			}
		}
		slices.SortFunc(all[start:], func(a, b *Package) int { return strings.Compare(a.locator, b.locator) })
		level = nil
		for _, p := range all[start:] {
			level = append(level, p.requires())
		}
	}
	return all
}

func (l *lock) addIntegrity(p *Package) {
	if p.Integrity != "" {
		l.integrities[p.Name+"@"+p.Version] = p.Integrity
	}
}

// The package managers whose configuration differs. That of Yarn changed with version 2.
const (
	npm   = "npm"
	yarn1 = "yarn 1"
	yarn  = "yarn"
	pnpm  = "pnpm"
	bun   = "bun"
)

// readLock finds the lockfile in a directory or above it, up to a directory that contains .git. If a directory has lockfiles of
// several package managers, readLock reads the one of the manager that its package.json names. If it names none, readLock reads
// the first and records the others as unread.
func readLock(root string) (*lock, error) {
	type reader struct {
		name    string
		read    func(l *lock, text []byte) error
		manager string
	}
	readers := []reader{
		{"npm-shrinkwrap.json", readNPM, npm}, // which npm prefers
		{"package-lock.json", readNPM, npm},
		{"yarn.lock", readYarn, yarn1},
		{"pnpm-lock.yaml", readPNPM, pnpm},
		{"bun.lock", readBun, bun},
		{"bun.lockb", readBun, bun},
	}
	_, missing := readPackageJSON(root) // a plugin of a workspace may have none
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	boundary, isRepo := tree.Boundary(root)
	for dir := root; ; dir = filepath.Dir(dir) {
		here := slices.DeleteFunc(slices.Clone(readers), func(r reader) bool {
			return !exists(filepath.Join(dir, r.name))
		})
		if len(here) > 0 {
			about, _ := readPackageJSON(dir) // without it, no manager is named
			named, _, _ := strings.Cut(about.PackageManager, "@")
			i := slices.IndexFunc(here, func(r reader) bool { return strings.TrimSuffix(r.manager, " 1") == named })
			r := here[max(i, 0)]
			file := filepath.Join(dir, r.name)
			text, err := limit.ReadSettings(file)
			if err != nil {
				return nil, fmt.Errorf("read lockfile: %w", err)
			}
			top := boundary
			if !isRepo {
				top = dir
			}
			l := newLock(root, file, r.manager, top)
			if err := r.read(l, text); err != nil {
				return nil, damaged(root, file, text, err)
			}
			for _, other := range here {
				if i < 0 && other.manager != r.manager {
					l.unread = append(l.unread, other.name)
				}
			}
			return l, nil
		}
		if isRepo && dir == boundary || dir == filepath.Dir(dir) {
			return nil, cmp.Or(missing, fmt.Errorf("%w in %s", ErrNoLockfile, root))
		}
	}
}

func newLock(root, file, manager, top string) *lock {
	l := &lock{root: root, file: file, manager: manager, top: top, importers: map[string]*scope{}, integrities: map[string]string{}}
	l.importer(".")
	return l
}

// damaged returns the error for a lockfile that cannot be read, with its place.
func damaged(root, file string, data []byte, err error) error {
	if rel, relErr := filepath.Rel(root, file); relErr == nil {
		file = filepath.ToSlash(rel)
	}
	offset := int64(-1)
	if conflict := bytes.Index(append([]byte("\n"), data...), []byte("\n<<<<<<< ")); conflict >= 0 {
		err, offset = errors.New("unresolved merge conflict"), int64(conflict)
	} else if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
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
	PNPM                 pnpmSettings      `json:"pnpm"`
	PackageManager       string            `json:"packageManager"` // such as "pnpm@9.1.0"
}

// all returns the ranges of all packages. Of one that is required twice, the range is the one that the manager takes.
func (p packageJSON) all(manager string) map[string]string {
	lists := []map[string]string{p.PeerDependencies, p.Dependencies, p.OptionalDependencies, p.DevDependencies}
	if manager == yarn1 || manager == pnpm {
		lists = []map[string]string{p.PeerDependencies, p.DevDependencies, p.Dependencies, p.OptionalDependencies}
	}
	all := map[string]string{}
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all
}

func (p packageJSON) isPeer(name string) bool { _, ok := p.PeerDependencies[name]; return ok }

func readPackageJSON(root string) (p packageJSON, err error) {
	text, err := limit.ReadSettings(filepath.Join(root, "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	return p, nil
}
