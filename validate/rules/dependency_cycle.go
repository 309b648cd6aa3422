package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func dependencyCycle(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	for _, d := range inspect.Distinct(inspect.Dependencies(p.Doc)) {
		if id == "" || d.ID == id {
			continue // dependency-self reports it
		}
		path := findPath(inspect.Plugins.Of(p), d.ID, id, map[string]bool{})
		if path == nil {
			continue
		}
		ids := []string{id}
		for _, s := range path {
			ids = append(ids, s.id)
		}
		f := validate.Finding{Place: p.Value(d.Pointer + "/id"), Message: "dependency cycle: " + arrows(ids)}
		for _, s := range path[:min(len(path)-1, maxShown)] {
			f.Related = append(f.Related, validate.Related{Place: inspect.ValueIn(p, s.from.Doc, s.pointer), Message: "the cycle continues here"})
		}
		p.Report(f)
	}
}

// step is a dependency on the path from one plugin to another.
type step struct {
	id      string
	from    inspect.Plugin // the plugin that has the dependency
	pointer string
}

// maxShown is how many plugins of a cycle are shown.
const maxShown = 6

// arrows joins the ids of a cycle and leaves out the middle of a long one.
func arrows(ids []string) string {
	if more := len(ids) - maxShown; more > 1 {
		middle := fmt.Sprintf("(%d more)", more)
		ids = slices.Concat(ids[:maxShown-1], []string{middle}, ids[len(ids)-1:])
	}
	return strings.Join(ids, " -> ")
}

// findPath returns a path along dependencies that ends with the target, or nil.
func findPath(all map[string]inspect.Plugin, id, target string, seen map[string]bool) []step {
	if id == target {
		return []step{{id: id}}
	}
	from, ok := all[id]
	if !ok || seen[id] {
		return nil
	}
	seen[id] = true
	for _, d := range from.Needs {
		if rest := findPath(all, d.ID, target, seen); rest != nil {
			return append([]step{{id: id, from: from, pointer: d.Pointer + "/id"}}, rest...)
		}
	}
	return nil
}
