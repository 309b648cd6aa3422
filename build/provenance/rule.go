package provenance

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/validate"
)

// RuleID is the id of the rule.
const RuleID = "source-differs"

// Rule returns the rule that compares a zip with a source.
func Rule(s *Source) validate.Rule {
	return validate.Rule{
		ID: RuleID, Severity: validate.Error, Where: validate.Zip, OfArchive: true,
		Summary: "zip that its source does not build",
		Why: "Users and catalogs read the source to decide whether to trust a plugin, but run what is in the zip. Assets are compared byte for byte, " +
			"plugin.json key by key apart from what a build adds, and source maps and executables with the names and texts of the source's " +
			"files; rule go-manifest compares the list of Go files. Nothing is built, so what compiled code does is not compared. The rule runs if the source is named.",
		Help:  "build and package the plugin again from this source, or name the source that the zip was built from",
		Check: func(p *validate.Pass) { (&comparison{p: p, source: s}).run() },
	}
}

// maxText limits the size of a file that is read as a whole, such as a source map.
const maxText = 64 << 20

type comparison struct {
	p         *validate.Pass
	source    *Source
	dir       string          // of the plugin in the zip
	files     []string        // in the zip, relative to dir, sorted
	mentioned map[string]bool // the names in the bundles; nil until isMentioned reads them
	names     *strings.Replacer
}

func (c *comparison) run() {
	if !c.list() {
		c.p.Skipf("the zip has no plugin.json to begin with")
		return
	}
	known := c.documents()
	for _, a := range c.source.plan.Assets {
		known[a.To] = true
		c.asset(filepath.ToSlash(a.From), a.To)
	}
	for _, name := range c.files {
		if !known[name] {
			c.other(name)
		}
	}
}

func (c *comparison) list() bool {
	c.dir = "."
	entries, _ := fs.ReadDir(c.p.FS, ".") // a zip that was refused has none
	if len(entries) == 1 && entries[0].IsDir() {
		c.dir = entries[0].Name()
	}
	_ = fs.WalkDir(c.p.FS, c.dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			c.files = append(c.files, strings.TrimPrefix(name, c.dir+"/"))
		}
		return nil
	})
	slices.Sort(c.files)
	return c.has(bundle.MetadataFile)
}

func (c *comparison) has(name string) bool {
	_, ok := slices.BinarySearch(c.files, name)
	return ok
}

func (c *comparison) at(name string) validate.Place {
	return validate.Place{File: path.Join(c.dir, name)}
}

// text reads a file of the zip. It reports a finding if that fails.
func (c *comparison) text(name string) ([]byte, bool) {
	f, err := c.p.FS.Open(path.Join(c.dir, name))
	var data []byte
	if err == nil {
		data, err = limit.ReadAll(f, maxText)
		_ = f.Close() // opened for reading only
	}
	if err != nil {
		c.p.Reportf(c.at(name), "%s cannot be compared with the source: %v", name, err)
	}
	return data, err == nil
}

func (c *comparison) sourceText(name string) ([]byte, error) {
	f, err := c.source.read(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return limit.ReadAll(f, maxText)
}

// asset compares a file that builds copy. Builds of other tools copy fewer files.
func (c *comparison) asset(from, to string) {
	if !c.has(to) {
		c.p.Report(validate.Finding{Place: c.at(to), Severity: validate.Warning,
			Message: fmt.Sprintf("%s of the source is missing in the zip", from)})
		return
	}
	if !c.isSame(from, to) {
		c.reportDiffering(from, to)
	}
}

func (c *comparison) reportDiffering(from, to string) {
	got, _ := c.text(to)
	want, _ := c.sourceText(from)
	how := ""
	if lines(string(got)) == lines(string(want)) {
		how = ", but only in line endings"
	}
	c.p.Reportf(c.at(to), "%s differs from %s of the source%s", to, from, how)
}

// isSame reports whether the zip has a file of the source. Placeholders in a README.md are replaced.
func (c *comparison) isSame(from, to string) bool {
	got, ok := c.text(to)
	if !ok {
		return true // reported
	}
	want, err := c.sourceText(from)
	if err != nil {
		c.p.Reportf(c.at(to), "%s cannot be compared with %s of the source: %v", to, from, err)
		return true
	}
	return bytes.Equal(got, want) || path.Base(to) == "README.md" && string(got) == c.names.Replace(string(want))
}

// other checks a file that builds do not copy.
func (c *comparison) other(name string) {
	counterpart := path.Join(c.source.dir(), name)
	isBundled := strings.HasSuffix(name, ".js") && (path.Base(name) == "module.js" || c.has(name+".map"))
	switch {
	case name == "MANIFEST.txt":
	case name == build.GoSumsFile: // rule go-manifest compares it
	case c.p.IsCatalog && path.Base(name) == "module.js.map": // rule sourcemap-stale compares it as the catalog does
	case c.isExecutable(name):
	case strings.HasSuffix(name, ".js.map") && c.has(strings.TrimSuffix(name, ".map")):
		c.sourceMap(name)
	case isBundled || strings.HasSuffix(name, ".js.LICENSE.txt"):
		if path.Base(name) == "module.js" && !c.has(name+".map") {
			c.p.Skipf("%s has no source map, so what it was bundled from is not known", name)
		}
	case c.source.has(counterpart) && c.isSame(counterpart, name):
	case path.Ext(name) == ".css" && c.hasStyles(strings.TrimSuffix(counterpart, ".css")):
	case path.Base(name) != bundle.MetadataFile && c.isMentioned(name):
	case c.source.has(counterpart):
		c.reportDiffering(counterpart, name)
	default:
		c.p.Reportf(c.at(name), "%s is neither in the source nor made by a build", name)
	}
}

// isExecutable reports whether a file is named as the executable of a plugin for a platform.
func (c *comparison) isExecutable(name string) bool {
	base, _, ok := bundle.SplitExecutable(path.Base(name))
	if !ok {
		return false
	}
	for to, data := range c.source.plan.Documents() {
		m, err := bundle.ParseMetadata(data)
		if err != nil || !m.Backend && m.Type.HasFrontend() {
			continue
		}
		names := []string{path.Join(path.Dir(to), m.Executable)}
		if m.Type == bundle.TypeRenderer { // the name that existing hosts expect
			names = append(names, path.Join(path.Dir(to), "plugin_start"))
		}
		if slices.Contains(names, path.Join(path.Dir(name), base)) {
			return true
		}
	}
	return false
}

// hasStyles reports whether the source has a style sheet with this name, without its extension.
func (c *comparison) hasStyles(name string) bool {
	return slices.ContainsFunc([]string{".css", ".scss", ".sass", ".less"}, func(ext string) bool { return c.source.has(name + ext) })
}

// maxScripts limits how much of the bundles is searched, of which a hostile zip may have gigabytes.
const maxScripts = 256 << 20

// isMentioned reports whether a bundle contains the name of a file: bundlers write the fonts and images
// that code and packages import, under names of their own. Each bundle is read once, and not kept.
func (c *comparison) isMentioned(name string) bool {
	if c.mentioned == nil {
		c.mentioned = map[string]bool{}
		for _, file := range c.files {
			c.mentioned[lastWord(path.Base(file))] = false
		}
		left := maxScripts
		for _, script := range c.files {
			if ext := path.Ext(script); ext != ".js" && ext != ".css" {
				continue
			}
			data, ok := c.text(script)
			if left -= len(data); left < 0 {
				c.p.Skipf("the bundles have more than %d MiB: %s and those after it were not searched for the names of files", maxScripts>>20, script)
				break
			}
			if ok {
				c.addWords(data)
			}
		}
	}
	return c.mentioned[lastWord(path.Base(name))]
}

// addWords notes the names of files that a text contains.
func (c *comparison) addWords(text []byte) {
	for len(text) > 0 {
		end := bytes.IndexAny(text, notInWords)
		if end < 0 {
			end = len(text)
		}
		if _, isFile := c.mentioned[string(text[:end])]; isFile {
			c.mentioned[string(text[:end])] = true
		}
		text = text[min(end+1, len(text)):]
	}
}

// notInWords separates names in code and style sheets.
const notInWords = " \t\r\n\"'`()[]{}<>/\\?#&=,;:+*|"

// lastWord returns the part of a name that addWords finds.
func lastWord(name string) string { return name[strings.LastIndexAny(name, notInWords)+1:] }
