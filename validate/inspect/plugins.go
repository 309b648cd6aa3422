package inspect

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
)

// Dependency is an entry of dependencies.plugins.
type Dependency struct {
	ID      string
	Pointer string // of the entry
}

// Dependencies returns the plugins that a plugin.json depends on.
func Dependencies(doc *bundle.Document) (all []Dependency) {
	for _, item := range doc.Items("/dependencies/plugins") {
		if id, _ := doc.Text(item + "/id"); id != "" {
			all = append(all, Dependency{ID: id, Pointer: item})
		}
	}
	return all
}

// Distinct removes dependencies on a plugin that an earlier one names.
func Distinct(all []Dependency) []Dependency {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(d Dependency) bool {
		isKnown := seen[d.ID]
		seen[d.ID] = true
		return isKnown
	})
}

// Plugin is a plugin of the run.
type Plugin struct {
	Doc   *bundle.Document
	Needs []Dependency // distinct
}

// Plugins holds the plugins of the run by id. If a plugin is present both as source and
// built, the first is used.
var Plugins = validate.NewTreeFact(func(p *validate.Pass) map[string]Plugin {
	all := map[string]Plugin{}
	for _, file := range p.Plugins {
		doc, _ := p.Document(file)
		if doc == nil {
			continue
		}
		id, _ := doc.Text("/id")
		if _, isKnown := all[id]; id != "" && !isKnown {
			all[id] = Plugin{Doc: doc, Needs: Distinct(Dependencies(doc))}
		}
	}
	return all
})

// Nested returns the plugin.json files of the run that belong to the plugin: those
// below it that are not in a dist directory, which contains a plugin of its own.
func Nested(p *validate.Pass) (files []string) {
	next := slices.Index(p.Plugins, p.File) + 1
	for _, file := range p.Plugins[next:] { // a directory and all below it are neighbors
		if !tree.IsInside(p.Dir, file) {
			break
		}
		dirs := strings.Split(tree.Below(p.Dir, path.Dir(file)), "/")
		if path.Base(file) == bundle.MetadataFile && !slices.Contains(dirs, bundle.DistDir) {
			files = append(files, file)
		}
	}
	return files
}
