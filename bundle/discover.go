package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Plugin is a directory to mount: it has a plugin.json with an id and a known type.
type Plugin struct {
	Dir      string // absolute, below the root that was searched
	Metadata *Metadata
	Parent   string // id of the plugin whose directory contains this one, or ""
}

// Fault is a path where Discover expected a plugin and found none. A fault never keeps
// other plugins from being found.
type Fault struct {
	Code     FaultCode
	Path     string // absolute
	PluginID string // if it is known
	Reason   string // what is wrong and what to do
}

// FaultCode is the kind of a Fault, for programs.
type FaultCode string

// The kinds of faults.
const (
	FaultUnreadable  FaultCode = "unreadable"   // a directory or file cannot be read
	FaultLink        FaultCode = "broken-link"  // a symbolic link to nothing, to itself, or out of a plugin to another
	FaultInvalidJSON FaultCode = "invalid-json" // plugin.json cannot be decoded
	FaultMissingID   FaultCode = "missing-id"
	FaultUnknownType FaultCode = "unknown-type"
	FaultDuplicateID FaultCode = "duplicate-id" // an earlier directory has the same id
	FaultUnbuilt     FaultCode = "unbuilt-dist" // dist has no plugin.json
	FaultMissingRoot FaultCode = "missing-root" // the directory to search does not exist
	FaultNotVerified FaultCode = "not-verified" // package loader: it differs from its manifest, or is not signed
)

const (
	maxDepth    = 32    // of nested directories
	sourceDir   = "src" // where plugin repositories keep plugin.json
	nodeModules = "node_modules"
)

// IsToolDir reports whether directories with this name belong to tools or tests, and
// are not part of a plugin.
func IsToolDir(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{nodeModules, "testdata", "vendor"}, name)
}

// Discover returns the plugins below the roots, in the order of the roots and of
// their paths. It mounts each directory with a plugin.json, or its dist if it has one.
// A directory with src/plugin.json is a plugin repository: its dist, once built, is
// mounted instead of src. Discover follows symbolic links that stay below the root and links
// to plugins elsewhere, and visits each directory once. If two directories have the same id, it mounts the first and
// reports the other.
func Discover(roots ...string) ([]Plugin, []Fault) {
	s := scan{seen: map[string]bool{}, byID: map[string]string{}}
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			s.fault(FaultUnreadable, root, "", err.Error())
			continue
		}
		if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
			s.fault(FaultMissingRoot, abs, "", "plugin directory not found: create it or configure another")
			continue
		}
		if s.root, err = filepath.EvalSymlinks(abs); err != nil {
			s.fault(FaultLink, abs, "", linkReason(err))
			continue
		}
		s.directory(abs, "", 0)
	}
	return s.plugins, s.faults
}

type scan struct {
	root    string // the root or linked plugin that is searched, its real path
	plugins []Plugin
	faults  []Fault
	seen    map[string]bool   // directories by their real paths
	byID    map[string]string // the directory of each id
}

func (s *scan) fault(code FaultCode, path, id, reason string) {
	s.faults = append(s.faults, Fault{Code: code, Path: path, PluginID: id, Reason: reason})
}

// directory searches a directory; parent is the id of the plugin it belongs to.
func (s *scan) directory(dir, parent string, depth int) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		s.fault(FaultLink, dir, "", linkReason(err))
		return
	}
	if s.seen[real] {
		return
	}
	if rel, err := filepath.Rel(s.root, real); err != nil || !filepath.IsLocal(rel) {
		if _, err := OpenRepo(real); err != nil {
			return // a link to a home directory, say, is not searched
		}
		if parent != "" {
			s.fault(FaultLink, dir, "", fmt.Sprintf("symbolic link to %s, outside of the plugin: replace it with a copy", real))
			return
		}
		defer func(root string) { s.root = root }(s.root)
		s.root = real
	}
	s.seen[real] = true
	if depth > maxDepth {
		s.fault(FaultUnreadable, dir, "", fmt.Sprintf("nested more than %d directories deep: move the plugin up", maxDepth))
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.fault(FaultUnreadable, dir, "", fmt.Sprintf("cannot read the directory (%v): give the user that runs the host access to it", cause(err)))
		return
	}
	dist := filepath.Join(dir, DistDir)
	isPlugin, isBuilt := isFile(filepath.Join(dir, MetadataFile)), isFile(filepath.Join(dist, MetadataFile))
	switch {
	case isBuilt && (isPlugin || isFile(filepath.Join(dir, sourceDir, MetadataFile))):
		s.directory(dist, parent, depth+1)
		return
	case isPlugin && isDir(dist):
		s.fault(FaultUnbuilt, dist, "", "dist has no plugin.json: build the plugin again, or delete dist")
		return
	case isPlugin:
		if id := s.mount(dir, parent); parent == "" {
			parent = id
		}
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && name != nodeModules {
			s.entry(filepath.Join(dir, name), e, parent, depth)
		}
	}
}

// entry searches a directory or a symbolic link to one.
func (s *scan) entry(path string, e fs.DirEntry, parent string, depth int) {
	isDirectory := e.IsDir()
	if e.Type()&fs.ModeSymlink != 0 {
		target, err := os.Stat(path)
		if err != nil {
			s.fault(FaultLink, path, "", linkReason(err))
			return
		}
		isDirectory = target.IsDir()
	}
	if isDirectory {
		s.directory(path, parent, depth+1)
	}
}

// mount adds the plugin of a directory and returns its id, or "" after a fault.
func (s *scan) mount(dir, parent string) string {
	file := filepath.Join(dir, MetadataFile)
	data, err := os.ReadFile(file)
	if err != nil {
		s.fault(FaultUnreadable, file, "", fmt.Sprintf("cannot read plugin.json (%v): give the user that runs the host access to it", cause(err)))
		return ""
	}
	m, err := ParseMetadata(data)
	switch {
	case err != nil:
		s.fault(FaultInvalidJSON, file, "", err.Error()+": validate the plugin to locate the error")
		return ""
	case m.ID == "":
		s.fault(FaultMissingID, file, "", "missing id: add one")
		return ""
	case !slices.Contains(Types(), m.Type):
		s.fault(FaultUnknownType, file, m.ID, fmt.Sprintf("unknown type %q: use one of %v", m.Type, Types()))
		return ""
	}
	if first, taken := s.byID[m.ID]; taken {
		s.fault(FaultDuplicateID, dir, m.ID, fmt.Sprintf("%s has the same id %s and was found first: remove one of them", first, m.ID))
		return ""
	}
	s.byID[m.ID] = dir
	s.plugins = append(s.plugins, Plugin{Dir: dir, Metadata: m, Parent: parent})
	return m.ID
}

func linkReason(err error) string {
	return fmt.Sprintf("broken symbolic link (%v): point it at a directory or delete it", cause(err))
}

// cause returns the error without the operation or path.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
