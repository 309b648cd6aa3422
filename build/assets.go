package build

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
)

// planAssets lists what is copied: all of the source folder that is not itself
// source, and the texts a plugin is published with. Where plugin.json lies at the
// root of the repository, only what a plugin is known to have is copied: much else
// lies there too.
func (p *Plan) planAssets(context.Context) error {
	err := filepath.WalkDir(p.Repo.Source, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == p.Repo.Source {
			return err
		}
		rel, err := filepath.Rel(p.Repo.Source, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (bundle.IsToolDir(d.Name()) || p.isOutside(rel+"/")):
			return filepath.SkipDir
		case d.IsDir() || isSourceFile(d.Name()) || rel == bundle.MetadataFile || p.isOutside(rel):
			return nil
		case d.Name() == bundle.MetadataFile:
			return p.addNested(file, rel)
		case d.Type()&fs.ModeSymlink != 0:
			return p.addLink(file, rel)
		}
		p.Assets = append(p.Assets, Asset{From: p.relative(file), To: rel})
		return nil
	})
	if err != nil {
		return fmt.Errorf("list assets: %w", err)
	}
	for _, name := range texts() {
		if p.Repo.Source != p.Repo.Root && exists(filepath.Join(p.Repo.Root, name)) && !p.copies(name) {
			p.Assets = append(p.Assets, Asset{From: name, To: name})
		}
	}
	return nil
}

// texts are what a plugin is published with.
func texts() []string { return []string{"README.md", "CHANGELOG.md", "LICENSE"} }

func (p *Plan) copies(to string) bool {
	return slices.ContainsFunc(p.Assets, func(a Asset) bool { return a.To == to })
}

// isSourceFile says which files no dist holds.
func isSourceFile(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{".go", ".ts", ".tsx", ".jsx"}, path.Ext(name))
}

// isOutside says, for a repository with plugin.json at its root, whether a path
// (with a slash behind for a folder) is no part of the plugin.
func (p *Plan) isOutside(rel string) bool {
	if p.Repo.Source != p.Repo.Root {
		return false
	}
	for _, known := range append([]string{"module.js", "module.js.map", "img/", "dashboards/"}, texts()...) {
		if rel == known || strings.HasSuffix(known, "/") && strings.HasPrefix(rel, known) {
			return false
		}
	}
	for _, named := range p.namedPaths() {
		if rel == named || strings.HasSuffix(rel, "/") && strings.HasPrefix(named, rel) {
			return false
		}
	}
	return true
}

// namedPaths are the files that plugin.json speaks of.
func (p *Plan) namedPaths() []string {
	m := p.Metadata
	paths := []string{m.Info.Logos.Small, m.Info.Logos.Large}
	for _, s := range m.Info.Screenshots {
		paths = append(paths, s.Path)
	}
	for _, i := range m.Includes {
		paths = append(paths, i.Path)
	}
	for i := range paths {
		paths[i] = path.Clean(paths[i])
	}
	return paths
}

// addNested plans the plugin.json of a nested plugin, which the build completes as
// it does the plugin's own. A backend of a nested plugin must be that of the plugin
// itself: one is compiled.
func (p *Plan) addNested(file, rel string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	m, err := bundle.ParseMetadata(data)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	if m.Backend && path.Join(path.Dir(rel), m.Executable) != path.Clean(p.Metadata.Executable) {
		return fmt.Errorf("%s has a backend of its own, which is not built: let its executable lead to that of the plugin around it, such as ../%s", rel, p.Metadata.Executable)
	}
	p.documents = append(p.documents, document{to: rel, data: data, id: m.ID})
	return nil
}

// addLink plans a copy of the file that a symbolic link leads to.
func (p *Plan) addLink(file, rel string) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fmt.Errorf("the link %s leads nowhere: delete it, or put a file there", rel)
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	source, err := filepath.EvalSymlinks(p.Repo.Source)
	if err != nil {
		return err
	}
	if inside, err := filepath.Rel(source, target); err != nil || !filepath.IsLocal(inside) || !info.Mode().IsRegular() {
		return fmt.Errorf("the link %s leads to a folder or out of %s: put the files themselves there", rel, p.relative(p.Repo.Source))
	}
	p.Assets = append(p.Assets, Asset{From: p.relative(file), To: rel})
	return nil
}
