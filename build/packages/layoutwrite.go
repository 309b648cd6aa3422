package packages

import (
	"cmp"
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

	"github.com/slipway-dev/slipway/bundle/tree"
)

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

// place lays the packages out.
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
