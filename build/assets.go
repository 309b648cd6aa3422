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
	"github.com/slipway-dev/slipway/internal/limit"
)

// planAssets lists the files to copy: those in the source directory that are not source code, and the texts that a plugin
// is published with. Of a plugin.json at the root, which contains much else, it lists only the files that plugins are known to have.
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
		case bundle.IsJunk(d.Name()) && !strings.HasPrefix(d.Name(), ".") && !p.isOutside(rel):
			p.warnings = append(p.warnings, p.relative(file)+" is left out: editors and systems leave such files behind")
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir() && (bundle.IsToolDir(d.Name()) || p.isOutside(rel+"/") || isDist(file)):
			return filepath.SkipDir
		case d.IsDir() || isSourceFile(d.Name()) || p.isBundledSource(rel) || rel == bundle.MetadataFile || p.isOutside(rel):
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
	return p.addLicense()
}

// addLicense copies a license of another name as LICENSE, where hosts and catalogs look for it.
func (p *Plan) addLicense() error {
	for _, dir := range []string{p.Repo.Source, p.Repo.Root} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("list assets: %w", err)
		}
		for _, name := range bundle.LicenseNames() {
			i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Type().IsRegular() && strings.EqualFold(e.Name(), name) })
			if i >= 0 && !p.copies("LICENSE") {
				p.Assets = slices.DeleteFunc(p.Assets, func(a Asset) bool { return a.To == entries[i].Name() })
				p.Assets = append(p.Assets, Asset{From: p.relative(filepath.Join(dir, entries[i].Name())), To: "LICENSE"})
			}
		}
	}
	return nil
}

// isDist reports whether a directory is a dist beside a plugin.json, such as an older build that was left in src.
func isDist(dir string) bool {
	return filepath.Base(dir) == bundle.DistDir && exists(filepath.Join(filepath.Dir(dir), bundle.MetadataFile))
}

// texts lists the texts that a plugin is published with.
func texts() []string { return []string{"README.md", "CHANGELOG.md", "LICENSE"} }

func (p *Plan) copies(to string) bool {
	return slices.ContainsFunc(p.Assets, func(a Asset) bool { return a.To == to })
}

// isSourceFile reports whether a file is not copied to dist.
func isSourceFile(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{".go", ".ts", ".tsx", ".jsx"}, path.Ext(name))
}

// isOutside reports whether a path, which ends in a slash if it is a directory, is not part of a plugin at the root.
func (p *Plan) isOutside(rel string) bool {
	if p.Repo.Source != p.Repo.Root {
		return false
	}
	for _, known := range append([]string{"module.js", "module.js.map", "img/", "dashboards/"}, texts()...) {
		if rel == known || strings.HasSuffix(known, "/") && strings.HasPrefix(rel, known) {
			return false
		}
	}
	return !slices.ContainsFunc(p.namedPaths(), func(named string) bool {
		return rel == named || strings.HasSuffix(rel, "/") && strings.HasPrefix(named, rel)
	})
}

// namedPaths returns the paths in plugin.json.
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

// addNested plans the plugin.json of a nested plugin, which the build completes as well.
func (p *Plan) addNested(file, rel string) error {
	data, err := limit.ReadSettings(file)
	if err != nil {
		return err
	}
	m, err := bundle.ParseMetadata(data)
	if err != nil {
		return fmt.Errorf("%s: %w", rel, err)
	}
	p.documents = append(p.documents, document{to: rel, data: data, metadata: m})
	if isBundled(filepath.Dir(file)) {
		p.addFrontend(filepath.Dir(file), m, path.Dir(rel))
	}
	return nil
}

// addLink plans a copy of the file that a symbolic link points to.
func (p *Plan) addLink(file, rel string) error {
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return fmt.Errorf("symbolic link %s is broken: remove it, or replace it with a file", rel)
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
		return fmt.Errorf("%s is a symbolic link, which must point to a file in %s: replace it with a copy, or remove it", path.Join(filepath.ToSlash(p.relative(p.Repo.Source)), rel), p.relative(p.Repo.Source))
	}
	p.Assets = append(p.Assets, Asset{From: p.relative(file), To: rel})
	return nil
}
