package frontend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

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
