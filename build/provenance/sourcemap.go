package provenance

import (
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/internal/text"
)

// sourceMap compares the texts in a source map with the files of the source. Files of packages, and
// what bundlers generate, are not compared, nor are styles and data, which bundlers change.
func (c *comparison) sourceMap(name string) {
	data, ok := c.text(name)
	if !ok {
		return
	}
	var m struct {
		Sources        []string  `json:"sources"`
		SourcesContent []*string `json:"sourcesContent"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		c.p.Reportf(c.at(name), "%s is not a source map: %v", name, err)
		return
	}
	outside := 0
	for i, source := range m.Sources {
		file, isOwn := ownSource(source)
		if !isOwn {
			continue
		}
		places := c.places(file, path.Dir(name), strings.Contains(source, "://"))
		switch found := slices.DeleteFunc(slices.Clone(places), func(p string) bool { return !c.source.has(p) }); {
		case len(found) == 0 && len(places) == 0:
			outside++
		case len(found) == 0:
			c.p.Reportf(c.at(name), "%s contains %s, which is not in the source", name, file)
		case i >= len(m.SourcesContent) || m.SourcesContent[i] == nil:
			c.p.Reportf(c.at(name), "%s does not contain the text of %s", name, found[0])
		case !slices.ContainsFunc(found, func(p string) bool { return c.hasText(p, *m.SourcesContent[i]) }):
			c.p.Reportf(c.at(name), "%s contains another text of %s than the source", name, found[0])
		}
	}
	if outside > 0 {
		c.p.Skipf("%s contains %s from outside of the source", name, text.Plural(outside, "file"))
	}
}

// ownSource returns the path in the name of a source, such as ./Panel.tsx in
// webpack://acme-x-panel/./Panel.tsx. isOwn is false for what is not code of the repository itself.
func ownSource(source string) (file string, isOwn bool) {
	file = source
	if _, rest, isURL := strings.Cut(source, "://"); isURL {
		_, file, _ = strings.Cut(rest, "/")
	}
	file, _, _ = strings.Cut(file, "?")
	isCode := slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}, path.Ext(file))
	isForeign := slices.ContainsFunc([]string{"external ", "webpack/", "ignored|"}, func(p string) bool { return strings.HasPrefix(file, p) }) ||
		slices.ContainsFunc([]string{"node_modules", ".yarn", ".pnpm"}, func(dir string) bool { return slices.Contains(strings.Split(file, "/"), dir) })
	return file, isCode && !isForeign
}

// places returns where a source with this path can be in the repository, or in the Git repository around it: bundlers name sources relative
// to the directory of plugin.json, to the root, or to the source map in dist.
func (c *comparison) places(file, dir string, isURL bool) (list []string) {
	bases := []string{c.source.dir(), ".", path.Join(c.source.dir(), dir)}
	if !isURL {
		bases = append(bases, path.Join("dist", dir))
	}
	for _, base := range bases {
		if p := path.Join(base, file); !path.IsAbs(file) && !errors.Is(c.source.look(p), tree.ErrOutside) {
			list = append(list, p)
		}
	}
	return list
}

// hasText reports whether a file of the source has a text, apart from the ends of its lines.
func (c *comparison) hasText(name, text string) bool {
	data, err := c.sourceText(name)
	return err == nil && lines(string(data)) == lines(text)
}

func lines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
