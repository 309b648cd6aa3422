package bundle

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Plugin is a folder to mount: one that holds a readable plugin.json with an id
// and a known type.
type Plugin struct {
	Dir      string // absolute, as reached from the root that was scanned
	Metadata *Metadata
	Parent   string // id of the plugin whose folder this one lies in, or ""
}

// Fault is a place where a plugin could have been and why it is none. A fault
// never keeps another plugin from being found.
type Fault struct {
	Code     FaultCode
	Path     string // absolute
	PluginID string // where it could be read
	Reason   string // what is wrong and what to do
}

// FaultCode tells faults apart in programs.
type FaultCode string

// The faults of discovery.
const (
	FaultUnreadable   FaultCode = "unreadable"   // a folder or file cannot be opened
	FaultLink         FaultCode = "broken-link"  // a symbolic link that leads nowhere or in a circle
	FaultInvalidJSON  FaultCode = "invalid-json" // plugin.json cannot be decoded
	FaultMissingID    FaultCode = "missing-id"   // no id
	FaultUnknownType  FaultCode = "unknown-type" // a type outside the contract
	FaultDuplicateID  FaultCode = "duplicate-id" // the id is taken by an earlier folder
	FaultUnbuilt      FaultCode = "unbuilt-dist" // dist is there but holds no plugin.json
	FaultMissingRoot  FaultCode = "missing-root" // the folder to scan does not exist
	maxDepth                    = 32             // of nested folders
	sourceDir                   = "src"          // where plugin repos keep plugin.json
	dependenciesOfWeb           = "node_modules" // never scanned
)

// Discover finds the plugins below the roots, in the order of the roots and
// then of their paths. A folder that holds plugin.json is mounted, or its dist
// if there is one; a folder whose src holds plugin.json is a plugin repo, and its
// dist, if built, stands for it. Symbolic links are followed, each target once.
// Of two folders with one id the first found is mounted, the other is a fault
// that names both.
func Discover(roots ...string) ([]Plugin, []Fault) {
	s := scan{seen: map[string]bool{}, byID: map[string]string{}}
	for _, root := range roots {
		abs, err := filepath.Abs(root)
		if err != nil {
			s.fault(FaultUnreadable, root, "", err.Error())
			continue
		}
		if _, err := os.Stat(abs); errors.Is(err, fs.ErrNotExist) {
			s.fault(FaultMissingRoot, abs, "", "this plugin folder does not exist: create it or name another")
			continue
		}
		s.folder(abs, "", 0)
	}
	return s.plugins, s.faults
}

type scan struct {
	plugins []Plugin
	faults  []Fault
	seen    map[string]bool   // real paths of folders already scanned
	byID    map[string]string // id -> folder
}

func (s *scan) fault(code FaultCode, path, id, reason string) {
	s.faults = append(s.faults, Fault{Code: code, Path: path, PluginID: id, Reason: reason})
}

// folder scans one folder; parent is the id of the plugin it belongs to.
func (s *scan) folder(dir, parent string, depth int) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		s.fault(FaultLink, dir, "", linkReason(err))
		return
	}
	if s.seen[real] {
		return
	}
	s.seen[real] = true
	if depth > maxDepth {
		s.fault(FaultUnreadable, dir, "", fmt.Sprintf("more than %d folders deep: move the plugin up", maxDepth))
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		s.fault(FaultUnreadable, dir, "", fmt.Sprintf("cannot be listed (%v): let the host's user read it", cause(err)))
		return
	}

	mount, isRepo := "", false
	dist := filepath.Join(dir, DistDir)
	switch {
	case isFile(filepath.Join(dir, MetadataFile)) && isDir(dist):
		mount, isRepo = dist, true
	case isFile(filepath.Join(dir, sourceDir, MetadataFile)) && isFile(filepath.Join(dist, MetadataFile)):
		mount, isRepo = dist, true
	case isFile(filepath.Join(dir, MetadataFile)):
		mount = dir
	}
	if isRepo {
		if !isFile(filepath.Join(dist, MetadataFile)) {
			s.fault(FaultUnbuilt, dist, "", "this dist folder holds no plugin.json: build the plugin again, or delete dist")
			return
		}
		s.folder(dist, parent, depth+1)
		return
	}
	if mount != "" {
		if id := s.mount(mount, parent); parent == "" {
			parent = id
		}
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || name == dependenciesOfWeb {
			continue
		}
		s.entry(filepath.Join(dir, name), e, parent, depth)
	}
}

// entry descends into folders and links to folders.
func (s *scan) entry(path string, e fs.DirEntry, parent string, depth int) {
	if e.IsDir() {
		s.folder(path, parent, depth+1)
		return
	}
	if e.Type()&fs.ModeSymlink == 0 {
		return
	}
	target, err := os.Stat(path)
	if err != nil {
		s.fault(FaultLink, path, "", linkReason(err))
		return
	}
	if target.IsDir() {
		s.folder(path, parent, depth+1)
	}
}

// mount adds the plugin of a folder and returns its id, or "" after a fault.
func (s *scan) mount(dir, parent string) string {
	file := filepath.Join(dir, MetadataFile)
	data, err := os.ReadFile(file)
	if err != nil {
		s.fault(FaultUnreadable, file, "", fmt.Sprintf("cannot be read (%v): let the host's user read it", cause(err)))
		return ""
	}
	m, err := ParseMetadata(data)
	switch {
	case err != nil:
		s.fault(FaultInvalidJSON, file, "", err.Error()+": run mage validate on it")
		return ""
	case m.ID == "":
		s.fault(FaultMissingID, file, "", "it has no id: give the plugin one")
		return ""
	case !isKnownType(m.Type):
		s.fault(FaultUnknownType, file, m.ID, fmt.Sprintf("type %q is none of %v", m.Type, Types()))
		return ""
	}
	if first, taken := s.byID[m.ID]; taken {
		s.fault(FaultDuplicateID, dir, m.ID, fmt.Sprintf("%s has the id %s too and was found first: remove one of the two", first, m.ID))
		return ""
	}
	s.byID[m.ID] = dir
	s.plugins = append(s.plugins, Plugin{Dir: dir, Metadata: m, Parent: parent})
	return m.ID
}

func isKnownType(t Type) bool {
	for _, known := range Types() {
		if t == known {
			return true
		}
	}
	return false
}

func linkReason(err error) string {
	return fmt.Sprintf("this link leads nowhere (%v): point it at a folder or delete it", cause(err))
}

// cause strips the operation and path that the reader is told anyway.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
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
