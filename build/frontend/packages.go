package frontend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/limit"
)

// Package is an npm package that ended up in a bundle. The source map of module.js lists them
// under the key "x_packages", first after "version": whoever packs the plugin can tell what is
// in it without the repository. Extensions of source maps begin with x_.
type Package struct {
	Name      string `json:"name"`
	Version   string `json:"version,omitempty"`
	License   string `json:"license,omitempty"`   // as in package.json: an SPDX expression, or any text
	Integrity string `json:"integrity,omitempty"` // as in the lockfile
}

// packagesIn lists the packages with code or styles in module.js, sorted. Of others, only constants or files are used.
func (b *bundler) packagesIn(meta metafile) []Package {
	found := map[string]Package{} // by directory
	for _, out := range meta.Outputs {
		for name := range out.Inputs {
			dir, ok := packageDir(filepath.Join(b.Root, filepath.FromSlash(name)))
			if ok && !strings.Contains(name, ":") { // with a colon, it is not a file
				found[dir] = Package{}
			}
		}
	}
	var integrities map[string]string
	if lock, ok := b.Packages.(interface{ Integrities() map[string]string }); ok && len(found) > 0 {
		integrities = lock.Integrities()
	}
	for dir := range found {
		p := readPackage(dir)
		p.Integrity = integrities[p.Name+"@"+p.Version]
		found[dir] = p
	}
	list := slices.SortedFunc(maps.Values(found), func(x, y Package) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), strings.Compare(x.Version, y.Version), strings.Compare(x.License, y.License))
	})
	return slices.Compact(list)
}

// packageDir returns the directory of the package in node_modules that a file is in.
func packageDir(file string) (dir string, ok bool) {
	file = filepath.ToSlash(file)
	at := strings.LastIndex(file, modulesDir)
	if at < 0 {
		return "", false
	}
	at += len(modulesDir)
	name := PackageName(file[at:])
	return filepath.FromSlash(file[:at] + name), name != file[at:]
}

// readPackage reads the package.json in a directory, which has the name if that file has none.
func readPackage(dir string) Package {
	const maxText = 256
	slashed := filepath.ToSlash(dir)
	p := Package{Name: slashed[strings.LastIndex(slashed, modulesDir)+len(modulesDir):]}
	text, err := limit.ReadSettings(filepath.Join(dir, "package.json"))
	var read struct {
		Name, Version string
		License       json.RawMessage // text, or an object with "type" in old packages
	}
	if err != nil || json.Unmarshal(text, &read) != nil || len(read.Name)+len(read.Version) > maxText {
		return p
	}
	p.Name, p.Version = cmp.Or(read.Name, p.Name), read.Version
	var old struct{ Type string }
	if json.Unmarshal(read.License, &p.License) != nil && json.Unmarshal(read.License, &old) == nil {
		p.License = old.Type
	}
	if len(p.License) > maxText {
		p.License = ""
	}
	return p
}

// placeMap moves everything in a source map down by some lines, names the sources, gives those of
// the repository the text of their file, and records the packages, for an SBOM.
func (b *bundler) placeMap(text []byte, lines int, packages []Package) ([]byte, error) {
	var m struct {
		Version        int       `json:"version"`
		Packages       []Package `json:"x_packages,omitempty"`
		Sources        []string  `json:"sources"`
		SourcesContent []string  `json:"sourcesContent"`
		Mappings       string    `json:"mappings"`
		Names          []string  `json:"names"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read source map: %w", err)
	}
	m.Packages = packages
	m.Mappings = strings.Repeat(";", lines) + m.Mappings
	for i, source := range m.Sources {
		if text, ok := b.texts[filepath.Join(b.outdir(), filepath.FromSlash(source))]; ok && i < len(m.SourcesContent) {
			m.SourcesContent[i] = text
		}
		m.Sources[i] = b.sourceName(source)
	}
	return json.Marshal(m)
}

// sourceName returns the name of a source in the source map: the one that webpack would give it.
// Grafana's catalog looks up these names in the repository, and skips packages, external modules
// and the code that a bundler generates.
func (b *bundler) sourceName(source string) string {
	prefix := "webpack://" + cmp.Or(b.MapID, b.PluginID) + "/"
	namespace, name, ok := strings.Cut(source, ":")
	switch isDrive := len(namespace) == 1; {
	case ok && namespace == sharedNamespace:
		return prefix + "external amd " + quote(name)
	case ok && !isDrive && !strings.Contains(namespace, "/"):
		return prefix + "webpack/" + namespace + "/" + name
	}
	file := filepath.Join(b.outdir(), filepath.FromSlash(source))
	if i := strings.LastIndex(filepath.ToSlash(file), "/node_modules/"); i >= 0 {
		return prefix + ".." + filepath.ToSlash(file)[i:]
	}
	rel, err := filepath.Rel(cmp.Or(b.MapDir, b.Source), file)
	if err != nil { // on another drive
		return prefix + filepath.ToSlash(file)
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, "../") {
		rel = "./" + rel
	}
	return prefix + rel
}
