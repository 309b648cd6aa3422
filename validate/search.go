package validate

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// maxDepth limits how deep directories are nested.
const maxDepth = 32

// A zip contains one plugin and those nested in it. The rest of a larger zip is not
// checked: a parsed plugin.json takes forty times its size.
const (
	maxInZip      = 100     // plugin.json files
	maxBytesInZip = 2 << 20 // of all of them
)

// target is one plugin.json to check.
type target struct {
	file, dir, root string
	where           Where
	isMissing       bool
}

// search finds the targets of a run.
type search struct {
	fs       fs.FS
	opts     Options
	targets  []target
	skips    []Skip
	bytes    int64         // of the plugin.json files of a zip
	isFull   bool          // the zip exceeds its limits
	followed []fs.FileInfo // directories reached through symbolic links
}

// around is what a directory inherits from those above it.
type around struct {
	root   string // of the plugin it belongs to, or ""
	isDist bool
	depth  int
}

func (s *search) run(ctx context.Context) error {
	start := path.Clean(strings.TrimSuffix(s.opts.Path, "/"))
	info, err := fs.Stat(s.fs, start)
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
	s.directory(ctx, start, in)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if len(s.targets) == 0 && len(s.skips) == 0 {
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
		if in.root == "" {
			in.root = dir
		}
	}
	return in
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
	isPlugin := slices.ContainsFunc(entries, isMetadata)
	if isPlugin {
		in.isDist = in.isDist || slices.ContainsFunc(entries, isBuildOutput)
		in.root = s.add(path.Join(dir, bundle.MetadataFile), dir, in)
	}
	for _, e := range entries {
		below := path.Join(dir, e.Name())
		isDist := e.Name() == bundle.DistDir
		if bundle.IsToolDir(e.Name()) || !s.isDirectory(below, e) || isDist && s.opts.Where == Source {
			continue
		}
		if isPlugin && isDist && !s.isFile(path.Join(below, bundle.MetadataFile)) {
			s.addMissing(below, Dist)
		}
		s.directory(ctx, below, in)
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
	t := target{file: file, dir: dir, root: in.root, where: Source}
	if t.root == "" {
		t.root = dir
	}
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

// isDist reports whether a directory is called dist.
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
	return isExecutable || slices.Contains([]string{"MANIFEST", "MANIFEST.txt", "MANIFEST.json"}, e.Name())
}

func isMetadata(e fs.DirEntry) bool { return e.Name() == bundle.MetadataFile && !e.IsDir() }

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
