package validate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
)

// maxDepth limits how deep directories are nested.
const maxDepth = 32

// A zip contains one plugin and those nested in it. The rest of a larger zip is not
// checked: a parsed plugin.json takes forty times its size.
const (
	maxInZip      = 100     // plugin.json files
	maxBytesInZip = 2 << 20 // of all of them
)

type target struct {
	file, dir, root string
	where           Where
	isLink          bool // reached through a symbolic link
	isMissing       bool
}

type search struct {
	fs       fs.FS
	opts     Options
	targets  []target
	skips    []Skip
	left     []string             // see Options.NoDist
	bytes    int64                // of the plugin.json files of a zip
	isFull   bool                 // the zip exceeds its limits
	followed []fs.FileInfo        // directories reached through symbolic links
	refused  map[string][]refusal // by the root of the plugin, or "" outside of any
}

// around is what a directory inherits from those above it.
type around struct {
	root   string // of the plugin it belongs to, or ""
	isDist bool
	isLink bool // reached through a symbolic link, whose target has its own path
	depth  int
}

func (s *search) run(ctx context.Context) error {
	start := path.Clean(strings.TrimSuffix(s.opts.Path, "/"))
	info, err := fs.Stat(s.fs, start)
	if errors.Is(err, tree.ErrOutside) {
		s.refuse("", start, tree.ErrOutside)
		return nil
	}
	if err != nil {
		return fmt.Errorf("nothing to validate: %w", err)
	}
	if !info.IsDir() {
		dir := path.Dir(start)
		in := s.above(dir)
		in.isDist = in.isDist || s.isBuilt(dir)
		s.add(start, dir, in)
		return nil
	}
	in := around{}
	if start != "." {
		in = s.above(path.Dir(start))
	}
	if _, ok := s.fs.(*tree.Tree); ok {
		s.list(ctx, start)
	}
	s.directory(ctx, start, in)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if len(s.targets) == 0 && len(s.skips) == 0 && len(s.refused) == 0 {
		s.addMissing(start, Source)
	}
	return nil
}

// above returns what dir and the directories around it pass on to those in dir.
func (s *search) above(dir string) around {
	dirs := []string{dir}
	for dir != "." {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	var in around
	for _, dir := range slices.Backward(dirs) {
		if s.isDist(dir) {
			in = around{isDist: true}
		}
		if !s.isFile(path.Join(dir, bundle.MetadataFile)) {
			continue
		}
		in.isDist = in.isDist || s.isBuilt(dir)
		in.root = cmp.Or(in.root, dir)
	}
	return in
}

// list lists the directories that directory is going to list, on all processors. The tree keeps
// the lists, and directory reports the errors.
func (s *search) list(ctx context.Context, start string) {
	level := []string{start}
	for depth := 0; depth < maxDepth && len(level) > 0; depth++ {
		below := make([][]string, len(level))
		parallel(ctx, len(level), func(i int) {
			entries, _ := fs.ReadDir(s.fs, level[i])
			for _, e := range entries {
				if e.IsDir() && !s.isSkipped(e.Name()) {
					below[i] = append(below[i], path.Join(level[i], e.Name()))
				}
			}
		})
		level = slices.Concat(below...)
	}
}

// isSkipped reports whether the search does not look into a directory because of its name.
func (s *search) isSkipped(name string) bool {
	return bundle.IsToolDir(name) || name == bundle.DistDir && s.opts.Where == Source
}

// directory adds the plugin in dir, if there is one, and those below.
func (s *search) directory(ctx context.Context, dir string, in around) {
	if ctx.Err() != nil {
		return
	}
	if in.depth++; in.depth > maxDepth {
		s.skip(dir, fmt.Sprintf("directories are nested more than %d levels deep", maxDepth))
		return
	}
	entries, err := fs.ReadDir(s.fs, dir)
	if err != nil {
		s.skip(dir, err.Error())
		return
	}
	if s.opts.Where == Zip && s.fill(entries) {
		return
	}
	if s.isDist(dir) {
		in.root, in.isDist = "", true
	}
	isPlugin := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return isMetadata(e) && (!e.IsDir() || dir == "." || path.Base(dir) == sourceDir) // where a plugin would be, a directory is refused
	})
	hasSource := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == sourceDir })
	if source := path.Join(dir, sourceDir, bundle.MetadataFile); isPlugin && hasSource && in.root == "" && !in.isDist && s.isFile(source) && !s.isBuilt(dir) {
		isPlugin = false
		s.skips = append(s.skips, Skip{File: path.Join(dir, bundle.MetadataFile), Reason: "there are two plugin.json, and a build uses " + source +
			": delete the one that is not used"})
	}
	if isPlugin {
		in.isDist = in.isDist || slices.ContainsFunc(entries, isBuildOutput)
		in.root = s.add(path.Join(dir, bundle.MetadataFile), dir, in)
	}
	isHome := isPlugin || hasSource
	for _, e := range entries {
		below := path.Join(dir, e.Name())
		if e.IsDir() && !fs.ValidPath(below) {
			s.skips = append(s.skips, Skip{File: below, Reason: "the name of the directory is not UTF-8"})
			continue
		}
		isDist := e.Name() == bundle.DistDir
		if isDist && isHome && s.opts.NoDist && s.opts.Where != Zip {
			s.left = append(s.left, below)
			continue
		}
		if s.isSkipped(e.Name()) || s.isRefused(below, e, in, isHome) || !s.isDirectory(below, e) {
			continue
		}
		if isPlugin && isDist && !s.isFile(path.Join(below, bundle.MetadataFile)) {
			s.addMissing(below, Dist)
		}
		next := in
		next.isLink = in.isLink || e.Type()&fs.ModeSymlink != 0
		s.directory(ctx, below, next)
	}
}

// fill adds a directory to what is read of a zip. It reports whether that exceeds the
// limits.
func (s *search) fill(entries []fs.DirEntry) (isFull bool) {
	if i := slices.IndexFunc(entries, isMetadata); i >= 0 {
		if info, err := entries[i].Info(); err == nil && info.Size() <= maxFileBytes { // a larger one is not read
			s.bytes += info.Size()
		}
	}
	if !s.isFull && (len(s.targets) >= maxInZip || s.bytes > maxBytesInZip) {
		s.isFull = true
		s.skip(".", fmt.Sprintf("the zip contains more than %d plugin.json files, or more than %d MiB of them", maxInZip, maxBytesInZip>>20))
	}
	return s.isFull
}

// add adds the plugin.json in dir and returns the root it belongs to.
func (s *search) add(file, dir string, in around) string {
	t := target{file: file, dir: dir, root: in.root, where: Source, isLink: in.isLink}
	t.root = cmp.Or(t.root, dir)
	if in.isDist {
		t.where = Dist
	}
	if s.opts.Where != 0 {
		t.where = s.opts.Where
	}
	s.targets = append(s.targets, t)
	return t.root
}

// addMissing adds a directory in which there should be a plugin.json.
func (s *search) addMissing(dir string, where Where) {
	s.targets = append(s.targets, target{file: path.Join(dir, bundle.MetadataFile), dir: dir, root: dir, where: where, isMissing: true})
}

func (s *search) skip(dir, reason string) {
	s.skips = append(s.skips, Skip{File: dir, Reason: reason, IsBroken: true})
}

func (s *search) isDist(dir string) bool {
	if dir == "." {
		return s.opts.RootName == bundle.DistDir
	}
	return path.Base(dir) == bundle.DistDir
}

func (s *search) isFile(name string) bool {
	info, err := fs.Stat(s.fs, name)
	return err == nil && !info.IsDir()
}

// isBuilt reports whether a directory with a plugin.json is the output of a build. It
// does not depend on the contents of plugin.json, since a rule may find that to be wrong.
func (s *search) isBuilt(dir string) bool {
	entries, _ := fs.ReadDir(s.fs, dir)
	return s.isDist(dir) || slices.ContainsFunc(entries, isBuildOutput)
}

// isBuildOutput reports whether only builds write such an entry: a manifest, or an
// executable for a platform.
func isBuildOutput(e fs.DirEntry) bool {
	if e.IsDir() {
		return false
	}
	_, _, isExecutable := bundle.SplitExecutable(e.Name())
	return isExecutable || e.Name() == "MANIFEST.txt"
}

func isMetadata(e fs.DirEntry) bool { return e.Name() == bundle.MetadataFile }

// isRefused reports whether an entry is not read: a symbolic link that leads out of the
// tree or of the plugin around it, or a special file in a plugin. isHome is set if the
// entry belongs to a plugin repository, whose other links do not matter.
func (s *search) isRefused(name string, e fs.DirEntry, in around, isHome bool) bool {
	isLink := e.Type()&fs.ModeSymlink != 0
	switch {
	case s.opts.Where == Zip, e.IsDir(), e.Type().IsRegular(), in.root == "" && !isLink, in.root != "" && in.isLink:
		return false // zip-symlink reports the links of a zip
	case !isLink:
		s.refuse(in.root, name, tree.Irregular(e.Type()))
		return true
	}
	view := s.fs
	if c, ok := s.fs.(Confiner); ok && in.root != "" {
		confined, err := c.Confine(in.root, in.isDist || s.opts.Where == Dist)
		if err != nil {
			return true // the plugin is not read either
		}
		defer Close(confined)
		view = confined
	}
	info, err := fs.Stat(view, name)
	isOutside := errors.Is(err, tree.ErrOutside)
	switch {
	case isOutside && (in.root != "" || isPartName(e.Name())):
		s.refuse(in.root, name, tree.ErrOutside)
	case isOutside && !isHome && in.depth == 1: // it may be one of several plugins
		s.skip(name, "not followed: "+tree.ErrOutside.Error()+"; validate its target")
	case err == nil && in.root != "" && !info.IsDir() && !info.Mode().IsRegular():
		s.refuse(in.root, name, tree.Irregular(info.Mode()))
	default:
		return isOutside
	}
	return true
}

// isPartName reports whether an entry with the name belongs to a plugin wherever it is.
func isPartName(name string) bool {
	return slices.Contains([]string{sourceDir, bundle.DistDir, bundle.MetadataFile}, name)
}

// sourceDir is where plugin repositories keep plugin.json.
const sourceDir = "src"

func (s *search) refuse(root, name string, err error) {
	s.refused[root] = append(s.refused[root], refusal{file: name, err: err, isExtra: !isPartName(path.Base(name))})
}

// isDirectory reports whether to search an entry. A symbolic link to a directory is
// followed once, and never to a directory around it, if the tree can tell.
func (s *search) isDirectory(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := fs.Stat(s.fs, name)
	if err != nil || !info.IsDir() || !os.SameFile(info, info) {
		return false
	}
	isSame := func(other fs.FileInfo) bool { return os.SameFile(info, other) }
	if slices.ContainsFunc(s.followed, isSame) {
		return false
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if above, err := fs.Stat(s.fs, dir); err != nil || isSame(above) {
			return false
		}
		if dir == "." {
			break
		}
	}
	s.followed = append(s.followed, info)
	return true
}
