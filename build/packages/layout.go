package packages

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
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
