package rules

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func idDuplicate(p *validate.Pass) {
	id, _ := p.Doc.Text("/id")
	if file := p.Before(id); id != "" && file != "" {
		p.Reportf(p.Value("/id"), "%s has the same id %q", file, id)
		return
	}
	first := firstWithID.Of(p)[idOf{p.Where, id}]
	if _, isLink := p.Form(p.File); isLink || first == nil || first.File == p.File || isBesideSource(first.File,
		p.File) || isBesideSource(p.File, first.File) {
		return
	}
	p.Report(validate.Finding{
		Place:   p.Value("/id"),
		Message: fmt.Sprintf("%s has the same id %q", inspect.Relative(p.Dir, first.File), id),
		Related: []validate.Related{{Place: inspect.ValueIn(p, first, "/id"), Message: "the first plugin with this id"}},
	})
}

// isBesideSource reports whether a file is in the src of a repository and another one elsewhere
// in that repository, such as in the directory to which its own bundler writes.
func isBesideSource(file, other string) bool {
	file, other = "/"+file, "/"+other
	root, _, isInSource := strings.Cut(file, "/src/")
	return isInSource && strings.HasPrefix(other, root+"/") && !strings.HasPrefix(other, root+"/src/")
}

// idOf is an id in plugins of one form.
type idOf struct {
	where validate.Where
	id    string
}

// firstWithID holds the first plugin.json with each id, or the one in src if the first is
// beside it. Files reached through symbolic links do not count, since the same run may also
// validate their targets.
var firstWithID = validate.NewTreeFact(func(p *validate.Pass) map[idOf]*bundle.Document {
	all := map[idOf]*bundle.Document{}
	for _, file := range p.Plugins {
		where, isLink := p.Form(file)
		doc, _ := p.Document(file)
		if doc == nil || isLink {
			continue
		}
		id, _ := doc.Text("/id")
		key := idOf{where, id}
		if first := all[key]; id != "" && (first == nil || isBesideSource(file, first.File)) {
			all[key] = doc
		}
	}
	return all
})
