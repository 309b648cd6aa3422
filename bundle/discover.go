package bundle

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/jsontype"
	"github.com/slipway-dev/slipway/internal/limit"
)

// Plugin is a directory to mount: it has a plugin.json with an id and a known type.
type Plugin struct {
	Dir      string // absolute, below the root that was searched
	Metadata *Metadata
	Parent   string            // id of the plugin whose directory contains this one, or ""
	Digest   [sha256.Size]byte // of plugin.json as it was read
	Root     string            // the outermost plugin directory that contains Dir, even one that cannot be mounted; otherwise Dir
}

// ExecutablePath returns where the executable of the plugin for this platform is. It is an error if that is outside of
// the outermost plugin: nested plugins may share an executable with those around them, but nothing else is started.
func (p Plugin) ExecutablePath() (string, error) {
	path := filepath.Join(p.Dir, filepath.FromSlash(Host().Executable(p.Metadata.Executable)))
	rel, err := filepath.Rel(cmp.Or(p.Root, p.Dir), path)
	if err != nil || !filepath.IsLocal(rel) {
		return path, fmt.Errorf("\"executable\" is %q, which is outside of the plugin", p.Metadata.Executable)
	}
	return path, nil
}

// Open opens a regular file of the plugin by its slash path. Open returns an error if the path
// or a symbolic link leads out of the plugin's directory.
func (p Plugin) Open(name string) (*os.File, error) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return limit.OpenRegular(root.OpenFile, filepath.FromSlash(name))
}

const (
	maxDepth    = 32    // of nested directories
	sourceDir   = "src" // where plugin repositories keep plugin.json
	nodeModules = "node_modules"
)

// IsToolDir reports whether directories with this name belong to tools or tests, and
// are not part of a plugin.
func IsToolDir(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{nodeModules, "testdata", "vendor", "__tests__", "__mocks__",
		"__fixtures__"}, name)
}

// Discover returns the plugins below the roots, in the order of the roots and of
// their paths. It mounts each directory with a plugin.json, or its dist if it has one.
// A directory with src/plugin.json is a plugin repository: its dist, once built, is
// mounted instead of src. Discover follows symbolic links that stay below the root and links
// to plugins elsewhere, and visits each directory once. If two directories have the same
// id, it mounts the first and reports the other.
func Discover(roots ...string) ([]Plugin, []Fault) {
	s := scan{seen: map[string]bool{}, byID: map[string]string{}}
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			s.fault(FaultUnreadable, root, "", err.Error())
			continue
		}
		if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
			s.fault(FaultMissingRoot, abs, "", "directory of plugins not found")
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
	outer   string // the outermost plugin directory that is searched, or ""
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
		if s.outer != "" {
			s.fault(FaultLinkOutside, dir, "", fmt.Sprintf("symbolic link to %s, outside of the plugin", real))
			return
		}
		defer func(root string) { s.root = root }(s.root)
		s.root = real
	}
	s.seen[real] = true
	if depth > maxDepth {
		s.fault(FaultTooDeep, dir, "", fmt.Sprintf("nested more than %d directories deep", maxDepth))
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.fault(FaultUnreadable, dir, "", fmt.Sprintf("cannot read the directory: %v", tree.Cause(err)))
		return
	}
	dist := filepath.Join(dir, DistDir)
	isPlugin, isBuilt := isFile(filepath.Join(dir, MetadataFile)), isFile(filepath.Join(dist, MetadataFile))
	switch {
	case isBuilt && (isPlugin || isFile(filepath.Join(dir, sourceDir, MetadataFile))):
		s.directory(dist, parent, depth+1)
		return
	case isPlugin && isDir(dist):
		s.fault(FaultUnbuilt, dist, "", "dist has no plugin.json")
		return
	case isPlugin:
		if s.outer == "" {
			s.outer = dir
			defer func() { s.outer = "" }()
		}
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
	data, err := s.read(file)
	_, isTooLarge := errors.AsType[*limit.TooLargeError](err)
	switch {
	case isTooLarge:
		s.fault(FaultTooLarge, file, "", "plugin.json is "+err.Error())
		return ""
	case err != nil:
		s.fault(FaultUnreadFile, file, "", fmt.Sprintf("cannot read plugin.json: %v", tree.Cause(err)))
		return ""
	}
	m, err := ParseMetadata(data)
	if err != nil {
		s.faults = append(s.faults, decodeFault(file, data, err))
		return ""
	}
	switch {
	case m.ID == "":
		s.fault(FaultMissingID, file, "", "missing id")
		return ""
	case CheckID(m.ID) != nil:
		reason, _, _ := cutLast(CheckID(m.ID).Error(), ": ")
		s.fault(FaultInvalidID, file, "", reason)
		s.faults[len(s.faults)-1].locate(data, "/id")
		return ""
	case !slices.Contains(Types(), m.Type):
		s.fault(FaultUnknownType, file, m.ID, fmt.Sprintf("unknown type %q", m.Type))
		s.faults[len(s.faults)-1].locate(data, "/type")
		return ""
	}
	if first, taken := s.byID[m.ID]; taken {
		s.fault(FaultDuplicateID, dir, m.ID, fmt.Sprintf("%s has the same id %s and was found first", first, m.ID))
		return ""
	}
	if parent != "" {
		i := slices.IndexFunc(s.plugins, func(p Plugin) bool { return p.Metadata.ID == parent })
		m.inherit(s.plugins[i].Metadata)
	}
	s.byID[m.ID] = dir
	s.plugins = append(s.plugins, Plugin{Dir: dir, Metadata: m, Parent: parent, Digest: sha256.Sum256(data), Root: s.outer})
	return m.ID
}

// maxMetadataBytes limits the size of a plugin.json.
const maxMetadataBytes = 1 << 20

// decodeFault returns the fault for a plugin.json that ParseMetadata rejects.
func decodeFault(file string, data []byte, err error) Fault {
	if _, err := ParseDocument(MetadataFile, data); err != nil {
		f := Fault{Code: FaultInvalidJSON, Path: file, Reason: err.Error()}
		if list, ok := errors.AsType[SyntaxErrors](err); ok {
			f.Line, f.Column, f.Reason = list[0].Pos.Line, list[0].Pos.Column, list[0].Problem
		}
		return f
	}
	f := Fault{Code: FaultInvalidValue, Path: file, Reason: err.Error()}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		f.Reason = fmt.Sprintf("%s must be %s, found %s", cmp.Or(wrong.Field, MetadataFile), jsontype.Of(wrong.Type), jsontype.Name(wrong.Value))
		pointer := ""
		if wrong.Field != "" {
			pointer = "/" + strings.ReplaceAll(wrong.Field, ".", "/")
		}
		f.locate(data, pointer)
	}
	return f
}

// locate sets the position of a fault to that of the value at a JSON pointer, if there is
// one.
func (f *Fault) locate(data []byte, pointer string) {
	doc, err := ParseDocument(MetadataFile, data)
	if err != nil || !doc.Has(pointer) {
		return
	}
	at := doc.Value(pointer).Start
	f.Line, f.Column = at.Line, at.Column
}

// read reads a file of a plugin that no symbolic link leads out of the root.
func (s *scan) read(file string) ([]byte, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(s.root, filepath.Join(dir, filepath.Base(file)))
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limit.ReadAll(f, maxMetadataBytes)
}

func linkReason(err error) string {
	return fmt.Sprintf("broken symbolic link: %v", tree.Cause(err))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
