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

// maxDepth of folders inside each other.
const maxDepth = 32

// A zip holds one plugin and those nested in it. Beyond this number of plugin.json
// files, and bytes in all of them, the rest is not checked: parsed they take forty
// times as much.
const (
	maxInZip      = 100
	maxBytesInZip = 2 << 20
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
	isFull   bool          // a zip has more than it may have
	followed []fs.FileInfo // folders reached through symbolic links
}

// around is what a folder inherits from those above it.
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
		entries, _ := fs.ReadDir(s.fs, dir) // only to tell built from source
		s.add(start, dir, in, in.isDist || s.isBuilt(dir, entries))
		return nil
	}
	in := s.above(path.Dir(start))
	if start == "." {
		in = around{}
	}
	s.folder(ctx, start, in)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	if len(s.targets) == 0 && len(s.skips) == 0 {
		s.targets = []target{{file: path.Join(start, bundle.MetadataFile), dir: start, root: start, where: Source, isMissing: true}}
	}
	return nil
}

// above returns what the folders from the root of the tree down to dir hand on.
func (s *search) above(dir string) around {
	var in around
	at := "."
	for i, name := range append([]string{"."}, strings.Split(dir, "/")...) {
		if i > 0 {
			if name == "." {
				break
			}
			at = path.Join(at, name)
		}
		if s.isNamedDist(at) {
			in = around{isDist: true}
		}
		if !s.isFile(path.Join(at, bundle.MetadataFile)) {
			continue
		}
		if entries, err := fs.ReadDir(s.fs, at); err == nil && s.isBuilt(at, entries) {
			in.isDist = true
		}
		if in.root == "" {
			in.root = at
		}
	}
	return in
}

// folder adds the plugin in dir, if there is one, and goes on below.
func (s *search) folder(ctx context.Context, dir string, in around) {
	if ctx.Err() != nil {
		return
	}
	if in.depth++; in.depth > maxDepth {
		s.skip(dir, fmt.Sprintf("more than %d folders inside each other", maxDepth))
		return
	}
	entries, err := fs.ReadDir(s.fs, dir)
	if err != nil {
		s.skip(dir, err.Error())
		return
	}
	if s.isNamedDist(dir) {
		in.root, in.isDist = "", true
	}
	if s.opts.Where == Zip {
		s.bytes += metadataBytes(entries)
		if s.isFull || len(s.targets) >= maxInZip || s.bytes > maxBytesInZip {
			if !s.isFull {
				s.isFull = true
				s.skip(".", fmt.Sprintf("the zip holds more than %d plugin.json files, or more than %d MiB of them", maxInZip, maxBytesInZip>>20))
			}
			return
		}
	}
	hasMetadata := slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() == bundle.MetadataFile && !e.IsDir()
	})
	if hasMetadata {
		in.isDist = in.isDist || s.isBuilt(dir, entries)
		in.root = s.add(path.Join(dir, bundle.MetadataFile), dir, in, in.isDist)
	}
	for _, e := range entries {
		below := path.Join(dir, e.Name())
		if bundle.IsToolFolder(e.Name()) || !s.isFolder(below, e) {
			continue
		}
		if s.opts.Where == Source && e.Name() == bundle.DistDir {
			continue
		}
		if hasMetadata && e.Name() == bundle.DistDir && !s.isFile(path.Join(below, bundle.MetadataFile)) {
			s.targets = append(s.targets, target{
				file: path.Join(below, bundle.MetadataFile), dir: below, root: below, where: Dist, isMissing: true,
			})
		}
		s.folder(ctx, below, in)
	}
}

// metadataBytes is the size of the plugin.json among the entries, if it is one that
// would be read.
func metadataBytes(entries []fs.DirEntry) int64 {
	for _, e := range entries {
		if e.Name() == bundle.MetadataFile && !e.IsDir() {
			if info, err := e.Info(); err == nil && info.Size() <= maxFileBytes {
				return info.Size()
			}
		}
	}
	return 0
}

// add notes a plugin.json and returns the root it belongs to.
func (s *search) add(file, dir string, in around, isDist bool) string {
	t := target{file: file, dir: dir, root: in.root, where: Source}
	if t.root == "" {
		t.root = dir
	}
	if isDist {
		t.where = Dist
	}
	if s.opts.Where != 0 {
		t.where = s.opts.Where
	}
	s.targets = append(s.targets, t)
	return t.root
}

func (s *search) skip(dir, reason string) {
	s.skips = append(s.skips, Skip{File: dir, Reason: reason, IsBroken: true})
}

func (s *search) isNamedDist(dir string) bool {
	if dir == "." {
		return s.opts.RootName == bundle.DistDir
	}
	return path.Base(dir) == bundle.DistDir
}

func (s *search) isFile(name string) bool {
	info, err := fs.Stat(s.fs, name)
	return err == nil && !info.IsDir()
}

// isBuilt says whether a folder with a plugin.json is the outcome of a build: it
// is called dist, or holds a manifest or an executable for a platform. What
// plugin.json says is no evidence, since a rule may find it wrong.
func (s *search) isBuilt(dir string, entries []fs.DirEntry) bool {
	return s.isNamedDist(dir) || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return !e.IsDir() && (e.Name() == "MANIFEST" || e.Name() == "MANIFEST.txt" || isExecutable(e.Name()))
	})
}

// isExecutable says whether a file is named <executable>_<os>_<arch>[.exe].
func isExecutable(name string) bool {
	parts := strings.Split(strings.TrimSuffix(name, ".exe"), "_")
	if len(parts) < 3 {
		return false
	}
	os, arch := parts[len(parts)-2], parts[len(parts)-1]
	return slices.Contains([]string{"linux", "darwin", "windows", "freebsd"}, os) &&
		slices.Contains([]string{"amd64", "arm64", "arm", "386"}, arch)
}

// isFolder says whether to go into an entry. A symbolic link to a folder is
// followed once and never into a folder around it, where the tree can tell.
func (s *search) isFolder(name string, e fs.DirEntry) bool {
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
