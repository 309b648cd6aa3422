package rules

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func sourcemapStale(p *validate.Pass) {
	r, ok := inspect.RepositoryOf(p)
	if !ok {
		return
	}
	fsys, dir, ok := r.Built(p)
	if !ok {
		p.Skipf("there is no dist to compare with the source")
		return
	}
	for _, name := range filesNamed(p, fsys, dir, inspect.ModuleFile+".map") {
		m, err := inspect.ReadSourceMap(fsys, name)
		if err != nil {
			continue // sourcemap-invalid reports it
		}
		differ, outside := compareSources(p, r, m)
		if len(outside) > 0 {
			p.Skipf("%s contains sources from outside of the repository, which were not compared: %s", path.Base(name), someOf(outside))
		}
		if len(differ) > 0 {
			p.Reportf(validate.Place{File: name}, "the repository lacks sources in the map, or has another text: %s", someOf(differ))
		}
	}
}

// compareSources returns the sources of a map that the repository does not have with the same text, and those that are
// outside of the Git repository, or of the plugin repository without one.
func compareSources(p *validate.Pass, r inspect.Repository, m *inspect.SourceMap) (differ, outside []string) {
	id, _ := p.Doc.Text("/id")
	for i, source := range m.Sources {
		source = fileOfSource(source, id)
		if !isComparedSource(source) {
			continue
		}
		data, err := r.Read(path.Join("src", source), inspect.MaxScriptBytes)
		unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		switch {
		case errors.Is(err, tree.ErrOutside):
			outside = append(outside, source)
		case err != nil || unix(string(data)) != unix(m.SourcesContent[i]):
			differ = append(differ, source)
		}
	}
	slices.Sort(differ)
	return slices.Compact(differ), outside
}

// fileOfSource returns the path, from src, of a source with the name that a bundler gave it.
func fileOfSource(name, plugin string) string {
	name, isOfPlugin := strings.CutPrefix(name, "webpack://"+plugin)
	if !isOfPlugin {
		name = strings.TrimPrefix(name, "webpack:")
	}
	if name, _, _ = strings.Cut(name, "?"); isOfPlugin || strings.HasPrefix(name, "/") {
		name = strings.TrimLeft(name, "/")
	}
	return name
}

// isComparedSource reports whether the catalog looks for a source in the repository.
func isComparedSource(name string) bool {
	rest := name
	for strings.HasPrefix(rest, "../") { // packages may be installed at the root of a workspace
		rest = rest[len("../"):]
	}
	for _, prefix := range []string{"external ", "webpack/", "node_modules", "./node_modules/"} {
		if strings.HasPrefix(rest, prefix) {
			return false
		}
	}
	isStyle := slices.Contains([]string{".css", ".scss", ".sass", ".less", ".svg", ".json"}, path.Ext(name))
	return !isStyle && !strings.Contains(name, "/node_modules/.pnpm/")
}
