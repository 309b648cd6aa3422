package compat

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// Options describe the hosts.
type Options struct {
	Platform      bundle.Platform          // of both hosts
	Version       string                   // of the host of this program
	VersionOption string                   // the option that sets Version, as the user spells it
	Existing      string                   // version of the existing host; "" if it is not known
	Routes        []string                 // patterns of the paths that the host of this program serves
	Variables     []string                 // names of the environment variables that it sets for backends
	IsShared      func(module string) bool // whether existing hosts share a library with frontends

	// Start starts a backend and returns when the handshake is complete, or why it is not.
	// If it is nil, nothing is executed.
	Start func(dir string) error
}

// The bounds of what is read.
const (
	maxMetadata   = 1 << 20
	maxScript     = 32 << 20  // of one file of a frontend
	maxSource     = 2 << 20   // of one source file
	maxFiles      = 20_000    // in the whole tree
	maxTexts      = 256 << 20 // of all files of a frontend, or all source files
	maxNames      = 200       // of routes or variables
	maxExecutable = 512 << 20
)

// plugin is a plugin in a tree.
type plugin struct {
	files    fs.FS
	dir      string // of plugin.json
	metadata *bundle.Metadata
	document *bundle.Document
	isSource bool // not built
	isNested bool // in the directory of another plugin

	needsModule bool // hosts load a module.js
	inLayout    bool // in the dist or src of a repository, whose Go files are around it
}

// Check reports on every plugin in a tree: a plugin repository, a built plugin or the
// contents of a zip. A repository that is not built is judged by its sources.
func Check(files fs.FS, o Options) ([]Report, error) {
	root, inLayout, isSource := ".", false, false
	for _, layout := range []struct {
		dir      string
		isSource bool
	}{{bundle.DistDir, false}, {"src", true}} {
		if _, err := fs.Stat(files, path.Join(layout.dir, bundle.MetadataFile)); err == nil {
			root, inLayout, isSource = layout.dir, true, layout.isSource
			break
		}
	}
	dirs, err := pluginDirs(files, root)
	if err != nil {
		return nil, err
	}
	var reports []Report
	for _, dir := range dirs {
		p, err := readPlugin(files, dir)
		if err != nil {
			return nil, err
		}
		p.isSource, p.inLayout = isSource, inLayout
		p.needsModule = !isSource && p.metadata.NeedsFrontend(slices.ContainsFunc(dirs, func(other string) bool {
			return other != dir && (dir == "." || strings.HasPrefix(other, dir+"/"))
		}))
		p.isNested = slices.ContainsFunc(dirs, func(other string) bool {
			return other != dir && (other == "." || strings.HasPrefix(dir, other+"/"))
		})
		reports = append(reports, p.report(o))
	}
	return reports, nil
}

var errTooManyFiles = fmt.Errorf("more than %d files: pass the directory of one plugin", maxFiles)

// pluginDirs returns the directories with a plugin.json below root.
func pluginDirs(files fs.FS, root string) (dirs []string, err error) {
	count := 0
	err = fs.WalkDir(files, root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if count++; count > maxFiles {
			return errTooManyFiles
		}
		if e.IsDir() && name != root && bundle.IsToolDir(e.Name()) {
			return fs.SkipDir
		}
		if !e.IsDir() && e.Name() == bundle.MetadataFile {
			dirs = append(dirs, path.Dir(name))
		}
		return nil
	})
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("no %s found: choose a plugin repository, a built plugin or a zip", bundle.MetadataFile)
	}
	slices.Sort(dirs)
	return dirs, err
}

func readPlugin(files fs.FS, dir string) (p plugin, err error) {
	name := path.Join(dir, bundle.MetadataFile)
	data, err := readText(files, name, maxMetadata)
	if err != nil {
		return p, err
	}
	p = plugin{files: files, dir: dir}
	if p.metadata, err = bundle.ParseMetadata(data); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	p.document, err = bundle.ParseDocument(name, data)
	return p, err
}

func (p plugin) report(o Options) Report {
	r := Report{PluginID: p.metadata.ID, Path: path.Join(p.dir, bundle.MetadataFile)}
	r.Rows = append(p.profile(), p.kind(o)...)
	r.Rows = append(r.Rows, p.versions(o)...)
	r.Rows = append(r.Rows, p.permissions()...)
	r.Rows = append(r.Rows, p.backend(o)...)
	r.Rows = append(r.Rows, p.frontend(o)...)
	r.summarize()
	return r
}
