package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/slipway-dev/slipway/bundle/tree"
)

// Repo is the layout of a plugin repository. Its paths are absolute.
type Repo struct {
	Root   string // the directory of the repository
	Source string // the directory of plugin.json: Root/src or Root
	Dist   string // the directory of the built plugin
}

// ErrNoPlugin is the error for a directory that is not a plugin repository.
var ErrNoPlugin = errors.New("no plugin.json or src/plugin.json: choose a plugin repository, or scaffold one")

// OpenRepo returns the layout of the plugin repository at dir.
func OpenRepo(dir string) (Repo, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return Repo{}, fmt.Errorf("open repository %s: %w", dir, err)
	}
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return Repo{}, fmt.Errorf("open repository %s: directory not found", root)
	}
	for _, source := range []string{filepath.Join(root, sourceDir), root} {
		name := filepath.Join(source, MetadataFile)
		info, err := os.Stat(name)
		if err == nil && info.Mode().IsRegular() {
			return Repo{Root: root, Source: source, Dist: filepath.Join(root, DistDir)}, nil
		}
		if err == nil {
			err = tree.Irregular(info.Mode())
		} else if _, linkErr := os.Lstat(name); errors.Is(linkErr, fs.ErrNotExist) || errors.Is(linkErr, syscall.ENOTDIR) {
			continue
		}
		help := "restore the file"
		if errors.Is(err, fs.ErrPermission) {
			help = "let your user read it"
		}
		return Repo{}, fmt.Errorf("%s cannot be read: %w: %s", name, tree.Cause(err), help)
	}
	return Repo{}, fmt.Errorf("open repository %s: %w", root, ErrNoPlugin)
}

// FindRepo returns the layout of the plugin repository that dir is part of: the nearest one from dir
// upwards, within the Git repository around dir. Its src and dist, and the plugins nested in them, are no
// repositories of their own. The error names the plugins below dir, as in a monorepo.
func FindRepo(dir string) (Repo, error) {
	nearest, err := OpenRepo(dir)
	if err != nil && !errors.Is(err, ErrNoPlugin) {
		return nearest, err
	}
	start, absErr := filepath.Abs(dir)
	if absErr != nil {
		return nearest, absErr
	}
	for _, at := range upwards(start) {
		repo, openErr := OpenRepo(at)
		if openErr == nil && (err != nil || repo.contains(nearest)) {
			nearest, err = repo, nil
		}
	}
	if err == nil {
		return nearest, nil
	}
	if below := ReposBelow(start); len(below) > 0 {
		return nearest, fmt.Errorf("%s has no plugin.json or src/plugin.json: choose the directory of one of its plugins: %s", start,
			strings.Join(below, ", "))
	}
	for _, name := range []string{filepath.Join(start, sourceDir, MetadataFile), filepath.Join(start, MetadataFile)} {
		if other := OtherCase(name); other != "" {
			return nearest, fmt.Errorf("%s must be called %s: rename it", other, MetadataFile)
		}
	}
	return nearest, err
}

// contains reports whether another repository is a part of this one that has a plugin.json.
func (r Repo) contains(other Repo) bool {
	isIn := func(dir string) bool {
		rel, err := filepath.Rel(dir, other.Root)
		return err == nil && filepath.IsLocal(rel)
	}
	return other.Source == other.Root && (isIn(r.Dist) || r.Source != r.Root && isIn(r.Source))
}

// upwards lists the directories above dir in its Git repository. Outside of one, it lists those below the
// home directory.
func upwards(dir string) (list []string) {
	home, _ := os.UserHomeDir()
	last, isRepo := tree.Boundary(dir)
	for at := dir; at != filepath.Dir(at) && (at != last || !isRepo); {
		if at = filepath.Dir(at); at == home {
			break
		}
		list = append(list, at)
	}
	return list
}

// ReposBelow returns the slash-separated paths of the outermost plugin repositories at most four levels below dir,
// relative to it.
func ReposBelow(dir string) (found []string) {
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, name)
		if err != nil || relErr != nil || !d.IsDir() || rel == "." {
			return nil //nolint:nilerr // a directory that cannot be read has no plugin to suggest
		}
		if IsToolDir(d.Name()) || d.Name() == DistDir || strings.Count(filepath.ToSlash(rel), "/") > 3 {
			return fs.SkipDir
		}
		if _, err := OpenRepo(name); err == nil {
			found = append(found, filepath.ToSlash(rel))
			return fs.SkipDir
		}
		return nil
	})
	return found
}

// Repos returns the layouts of all plugin repositories at dir and below, without the plugins that are nested in them.
// OpenRepo fails for those whose plugin.json cannot be read.
func Repos(dir string) (found []Repo, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.IsDir():
			return err
		case name != dir && (IsToolDir(d.Name()) || d.Name() == DistDir):
			return fs.SkipDir
		}
		repo, err := OpenRepo(name)
		switch {
		case errors.Is(err, ErrNoPlugin):
			return nil
		case err != nil: // whoever opens it says why
			repo = Repo{Root: name, Source: name, Dist: filepath.Join(name, DistDir)}
		case slices.ContainsFunc(found, func(outer Repo) bool { return outer.contains(repo) }):
			return nil
		}
		found = append(found, repo)
		if repo.Source == repo.Root { // what is below is nested
			return fs.SkipDir
		}
		return nil
	})
	return found, err
}

// OtherCase returns the path of the file whose name differs from that of a path only in the case of its letters, or "".
// Only file systems that ignore case find it under the path.
func OtherCase(name string) string {
	dir, base := filepath.Split(name)
	entries, _ := os.ReadDir(filepath.Clean(dir)) // a directory that cannot be read has none
	for _, e := range entries {
		if e.Name() != base && strings.EqualFold(e.Name(), base) {
			return filepath.Join(dir, e.Name())
		}
	}
	return ""
}

// LicenseNames returns the names that a license file may have, in any case, that for which hosts and catalogs look first.
func LicenseNames() []string {
	return []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "LICENCE.md", "LICENCE.txt", "COPYING"}
}

// IsJunk reports whether systems and editors leave files or directories of this name behind.
func IsJunk(name string) bool {
	known := []string{"__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", ".ds_store"}
	ext := []string{".orig", ".rej", ".bak", ".swp"}
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, "._") || slices.Contains(known, name) || slices.Contains(ext, path.Ext(name))
}
