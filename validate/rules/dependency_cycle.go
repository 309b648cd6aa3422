package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/validate"
)

func dependencyCycle() validate.Rule {
	return validate.Rule{
		ID:       "dependency-cycle",
		Severity: validate.Error,
		Summary:  "plugins do not depend on each other in a circle",
		Why:      "What a plugin depends on is installed before it. In a circle there is none to begin with.",
		Help:     "delete one of the dependencies",
		Check: func(p *validate.Pass) {
			id, _ := p.Doc.Text("/id")
			for _, d := range distinct(dependenciesIn(p.Doc)) {
				if id == "" || d.id == id {
					continue // dependency-self speaks of it
				}
				way := wayTo(siblings(p), d.id, id, map[string]bool{})
				if way == nil {
					continue
				}
				f := validate.Finding{
					Place:   p.Value(d.pointer + "/id"),
					Message: "the dependencies go in a circle: " + arrows(append([]string{id}, ids(way)...)),
				}
				for _, s := range way[:min(len(way)-1, maxShown)] {
					f.Related = append(f.Related, validate.Related{Place: s.from.in(p, s.pointer), Message: "the circle goes on here"})
				}
				p.Report(f)
			}
		},
	}
}

// step is a dependency on the way from one plugin to another.
type step struct {
	id      string
	from    sibling // whose dependency leads on
	pointer string
}

func ids(way []step) (all []string) {
	for _, s := range way {
		all = append(all, s.id)
	}
	return all
}

// maxShown is how many plugins of a circle are shown.
const maxShown = 6

// arrows writes the ids of a circle, the middle of a long one left out.
func arrows(ids []string) string {
	if more := len(ids) - maxShown; more > 1 {
		middle := fmt.Sprintf("(%d more)", more)
		ids = slices.Concat(ids[:maxShown-1], []string{middle}, ids[len(ids)-1:])
	}
	return strings.Join(ids, " -> ")
}

// wayTo returns a way over dependencies, the target last; nil if there is none.
func wayTo(all map[string]sibling, id, target string, seen map[string]bool) []step {
	if id == target {
		return []step{{id: id}}
	}
	from, ok := all[id]
	if !ok || seen[id] {
		return nil
	}
	seen[id] = true
	for _, d := range from.needs {
		if rest := wayTo(all, d.id, target, seen); rest != nil {
			return append([]step{{id: id, from: from, pointer: d.pointer + "/id"}}, rest...)
		}
	}
	return nil
}
