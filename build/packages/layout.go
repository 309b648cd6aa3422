package packages

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/limit"
)

// ErrInstalled is the error for a node_modules that Slipway did not write, and so does not replace.
var ErrInstalled = errors.New("node_modules is not Slipway's, and stays as it is")

// virtual is the directory in node_modules with one directory for each package, in whose node_modules are the
// package and links to those that it requires: no package finds another version than the lockfile gives it.
const virtual = ".slipway"

// layout is a node_modules in the making.
type layout struct {
	*Store
	ctx   context.Context
	group *errgroup.Group
	base  string // the directory of the lockfile
	extra string // an optional dependency that is brought nevertheless

	mu    sync.Mutex
	found map[wanted]*placed
}

// wanted is a package by the name under which it is imported.
type wanted struct {
	*Package
	as string
}

type placed struct {
	wanted
	from     string             // its directory in the cache or in the repository
	at       string             // where it is laid out, or the same
	requires map[string]*placed // by the name under which it is imported
	missing  error              // why it is left out
}

// LayOut makes a node_modules for each package.json of the repository, with what its types may need, and reports how
// many packages there are; 0 if they were there. What is only an optional dependency of a package is left
// out, except extra. A package that is refused, or that its registry does not have, is left out as well, and left says which
// and why: an import of it is a type error. Nothing of a package is run.
func (s *Store) LayOut(ctx context.Context, extra string) (n int, left []string, err error) {
	importers := s.lock.manifests()
	for dir := range importers {
		modules := s.modules(dir)
		if _, err := os.Lstat(modules); err == nil && !tree.IsLaidOut(modules) {
			return 0, nil, fmt.Errorf("%s: %w", modules, ErrInstalled)
		}
	}
	if s.IsLaidOut() {
		return 0, nil, nil
	}
	l := &layout{Store: s, base: filepath.Dir(s.lock.file), extra: extra, found: map[wanted]*placed{}}
	l.group, l.ctx = errgroup.WithContext(ctx)
	for dir, manifest := range importers {
		names := manifest.all(s.lock.manager)
		for scope := s.lock.above(dir); scope != nil; scope = scope.outer {
			for name := range scope.packages {
				if strings.HasPrefix(name, "@types/") { // the compiler adds these without an import
					names[name] = ""
				}
			}
		}
		for name := range names {
			if p := s.lookup(nil, filepath.Join(l.base, filepath.FromSlash(dir), "package.json"), name); p != nil {
				l.add(p, name)
			}
		}
	}
	if err := l.group.Wait(); err != nil {
		return 0, nil, err
	}
	for key, one := range l.found {
		if one.missing != nil {
			left, err = append(left, one.missing.Error()), one.missing
			delete(l.found, key)
		}
	}
	if slices.Sort(left); len(l.found) == 0 {
		return 0, nil, err
	}
	return len(l.found), left, l.write(importers)
}

// IsLaidOut reports whether each node_modules is Slipway's, and for the lockfile as it is.
func (s *Store) IsLaidOut() bool {
	for dir := range s.lock.manifests() {
		text, err := os.ReadFile(filepath.Join(s.modules(dir), tree.LaidOutFile))
		if err != nil || string(text) != s.mark() || !tree.IsLaidOut(s.modules(dir)) {
			return false
		}
	}
	return true
}

func (s *Store) modules(dir string) string {
	return filepath.Join(filepath.Dir(s.lock.file), filepath.FromSlash(dir), "node_modules")
}

// mark identifies a layout: it depends on the lockfile and on each package.json.
func (s *Store) mark() string {
	files, sum := []string{s.lock.file}, sha256.New()
	for _, dir := range slices.Sorted(maps.Keys(s.lock.manifests())) {
		files = append(files, filepath.Join(filepath.Dir(s.modules(dir)), "package.json"))
	}
	for _, file := range files {
		text, _ := limit.ReadSettings(file) // it has been read before
		fmt.Fprintf(sum, "%d\n%s", len(text), text)
	}
	return fmt.Sprintf("Slipway laid out this node_modules for the checker of types, from %s.\n%x\n", filepath.Base(s.lock.file), sum.Sum(nil))
}

// add brings a package and what it requires.
func (l *layout) add(p *Package, as string) *placed {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := wanted{p, as}
	if l.found[key] == nil {
		one := &placed{wanted: key, requires: map[string]*placed{}}
		l.found[key] = one
		l.group.Go(func() error { return l.bring(one) })
	}
	return l.found[key]
}

func (l *layout) bring(one *placed) error {
	importer := filepath.Join(l.base, "package.json")
	dir, err := l.provide(l.ctx, importer, one.Package, one.as)
	if _, isRefused := errors.AsType[*RefusedError](err); isRefused || errors.Is(err, errNotFound) {
		one.missing = err
		return nil
	}
	if err != nil {
		return err
	}
	if one.from = dir; !isInside(l.options.CacheDir, dir) { // it is part of the repository
		return nil
	}
	one.from = filepath.Join(dir, "node_modules", filepath.FromSlash(one.as))
	about, _ := readPackageJSON(one.from) // some have one that only npm reads
	if !hasTypes(one.from) {              // nor do those that it requires matter
		return nil
	}
	names := map[string]bool{}
	for _, list := range []map[string]string{about.Dependencies, about.PeerDependencies} {
		for name := range list {
			names[name] = true
		}
	}
	for name := range one.Package.requires() {
		names[name] = true
	}
	for name := range names {
		_, isOptional := about.OptionalDependencies[name]
		if p := l.lookup(one.Package, importer, name); p != nil && (!isOptional || name == l.extra) {
			one.requires[name] = l.add(p, name)
		}
	}
	return nil
}

// hasTypes reports whether a package declares types.
func hasTypes(dir string) (found bool) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if found = err == nil && slices.Contains([]string{".ts", ".mts", ".cts", ".tsx"}, path.Ext(d.Name())); found {
			return fs.SkipAll
		}
		return err
	})
	return found
}

// write replaces each node_modules. Until it is complete, its file says that it is Slipway's, but for no lockfile.
func (l *layout) write(importers map[string]packageJSON) error {
	for dir := range importers {
		modules := l.modules(dir)
		old := filepath.Join(filepath.Dir(modules), ".slipway-old") // nobody else has a directory of this name
		err := os.RemoveAll(old)                                    // of a run that was killed
		if err == nil {
			err = os.Rename(modules, old) // at once, since its mark must not go first
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = os.RemoveAll(old)
		}
		if err == nil {
			err = os.Mkdir(modules, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(modules, tree.LaidOutFile), []byte("incomplete\n"), 0o644)
		}
		if err != nil {
			return err
		}
	}
	if err := l.place(); err != nil {
		return err
	}
	for _, one := range l.found {
		if err := link(strings.TrimSuffix(one.at, filepath.FromSlash(one.as)), one.requires); err != nil {
			return err
		}
	}
	if err := l.linkScope(filepath.Join(l.modules("."), virtual, "node_modules"), l.lock.hoisted); err != nil {
		return err
	}
	for dir := range importers {
		for scope := l.lock.importers[dir]; scope != nil; scope = scope.outer {
			if err := l.linkScope(l.modules(dir), scope); err != nil {
				return err
			}
			if dir != "." { // the outer scope is that of a directory above
				break
			}
		}
	}
	for dir := range importers {
		if err := os.WriteFile(filepath.Join(l.modules(dir), tree.LaidOutFile), []byte(l.mark()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (l *layout) place() error {
	used := map[string]int{}
	for _, one := range slices.SortedFunc(maps.Values(l.found), func(a, b *placed) int {
		return cmp.Or(strings.Compare(a.as, b.as), strings.Compare(a.Version, b.Version))
	}) {
		if !isInside(l.options.CacheDir, one.from) {
			one.at = one.from
			continue
		}
		name := strings.ReplaceAll(one.as, "/", "+") + "@" + one.Version
		if used[name]++; used[name] > 1 { // of the same package, copies that require other versions
			name += fmt.Sprintf("_%d", used[name])
		}
		one.at = filepath.Join(l.modules("."), virtual, name, "node_modules", filepath.FromSlash(one.as))
		if err := copyTypes(one.from, one.at); err != nil {
			return err
		}
	}
	return nil
}

// linkScope links the names of a scope that are laid out.
func (l *layout) linkScope(modules string, s *scope) error {
	if s == nil {
		return nil
	}
	names := map[string]*placed{}
	for name, p := range s.packages {
		if one := l.found[wanted{p, name}]; one != nil {
			names[name] = one
		}
	}
	return link(modules, names)
}

// link makes links to packages in a node_modules, which may have some of them.
func link(modules string, names map[string]*placed) error {
	for name, one := range names {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%s: not the name of a package", name)
		}
		at := filepath.Join(modules, filepath.FromSlash(name))
		if _, err := os.Lstat(at); err == nil || one.missing != nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		to, err := filepath.Rel(filepath.Dir(at), one.at)
		if err == nil {
			err = os.Symlink(to, at)
		}
		if err != nil && runtime.GOOS == "windows" { // which allows links only to some users, but junctions to all
			err = exec.Command("cmd", "/c", "mklink", "/J", at, one.at).Run()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyTypes copies what a compiler reads of a package: of one with types, only these. An edit of a copy leaves the cache, of which
// bundles are made, as it is.
func copyTypes(from, to string) error {
	left := []string{".map", ".md"}
	if hasTypes(from) {
		left = append(left, ".js", ".mjs", ".cjs", ".css", ".scss", ".less", ".svg", ".png", ".ttf", ".woff", ".woff2")
	}
	return filepath.WalkDir(from, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(file, from))
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case slices.Contains(left, path.Ext(d.Name())):
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o644)
	})
}
