package rules

import (
	"regexp"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

// dependency is an entry of dependencies.plugins.
type dependency struct {
	id      string
	pointer string
}

// dependenciesIn lists the plugins that a plugin.json depends on.
func dependenciesIn(doc *bundle.Document) (all []dependency) {
	for _, item := range doc.Items("/dependencies/plugins") {
		if id, _ := doc.Text(item + "/id"); id != "" {
			all = append(all, dependency{id: id, pointer: item})
		}
	}
	return all
}

// distinct leaves out the dependencies on a plugin that an earlier one names.
func distinct(all []dependency) []dependency {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(d dependency) bool {
		again := seen[d.id]
		seen[d.id] = true
		return again
	})
}

var dependencyType = regexp.MustCompile(`^/dependencies/plugins/\d+/type$`)

func isDependencyType(pointer string) bool { return dependencyType.MatchString(pointer) }

// sibling is a plugin of the run.
type sibling struct {
	file  string
	doc   *bundle.Document
	needs []dependency // distinct
}

type siblingsKey struct{}

// siblings reads every plugin of the run, by id, once for all plugins. Of a plugin
// that is there as source and built the first counts.
func siblings(p *validate.Pass) map[string]sibling {
	return validate.TreeFact(p, siblingsKey{}, func() map[string]sibling {
		all := map[string]sibling{}
		for _, file := range p.Plugins {
			doc, _ := p.Document(file)
			if doc == nil {
				continue
			}
			if id, _ := doc.Text("/id"); id != "" {
				if _, again := all[id]; !again {
					all[id] = sibling{file: file, doc: doc, needs: distinct(dependenciesIn(doc))}
				}
			}
		}
		return all
	})
}

// in returns the place of the value at the pointer in the sibling's plugin.json.
func (s sibling) in(p *validate.Pass, pointer string) validate.Place {
	at := p.At(pointer, s.doc.Value(pointer))
	at.File = s.file
	return at
}
