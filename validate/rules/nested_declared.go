package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
)

func nestedDeclared() validate.Rule {
	return validate.Rule{
		ID:       "nested-declared",
		Severity: validate.Error,
		Summary:  "\"includes\" lists the plugins that lie in this one",
		Why:      "People see from \"includes\" what they get with a plugin. What is not listed there is installed without their knowledge, and what is listed and not there is missed.",
		Help:     "list the plugin in \"includes\", with its type, name and path",
		Check: func(p *validate.Pass) {
			if kind := p.Doc.Kind("/includes"); isNested(p) || p.Doc.Kind("") != "object" || kind != "" && kind != "array" {
				return
			}
			misled := map[string]bool{} // types with an entry whose path is wrong
			for _, item := range p.Doc.Items("/includes") {
				if checkInclude(p, item) {
					kind, _ := p.Doc.Text(item + "/type")
					misled[kind] = true
				}
			}
			for _, n := range undeclared(p) {
				kind, _ := n.doc.Text("/type")
				if misled[kind] {
					continue // one fault, one finding
				}
				name, _ := n.doc.Text("/name")
				if name == "" {
					continue // its own plugin.json says so
				}
				inner := below(p.Dir, n.file)
				p.Report(validate.Finding{
					Place:   p.Opening("/includes"),
					Message: fmt.Sprintf("\"includes\" does not list the plugin %q in %s", name, path.Dir(inner)),
					Help:    fmt.Sprintf("add { \"type\": %q, \"name\": %q, \"path\": %q }", kind, name, inner),
					Related: []validate.Related{{Place: n.in(p, "/id"), Message: "the plugin is here"}},
				})
			}
		},
	}
}

type undeclaredKey struct{}

// undeclared returns the nested plugins of which no entry of "includes" speaks: by
// its path or its id, or by its type alone, since names there are often longer.
func undeclared(p *validate.Pass) []sibling {
	return validate.Fact(p, undeclaredKey{}, func() (left []sibling) {
		paths, ids, types := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, item := range p.Doc.Items("/includes") {
			text := func(key string) string { t, _ := p.Doc.Text(item + "/" + key); return t }
			if to := text("path"); to != "" {
				paths[path.Join(p.Dir, to)] = true
			} else {
				types[text("type")] = true
			}
			ids[text("uid")], ids[text("id")] = true, true
		}
		for _, file := range nestedIn(p) {
			doc := readDocument(p, file)
			if doc == nil {
				continue
			}
			kind, _ := doc.Text("/type")
			id, _ := doc.Text("/id")
			if !paths[file] && !paths[path.Dir(file)] && !types[kind] && (id == "" || !ids[id]) {
				left = append(left, sibling{file: file, doc: doc})
			}
		}
		return left
	})
}

// checkInclude reports an entry that names the plugin.json of a nested plugin which
// is not there.
func checkInclude(p *validate.Pass, item string) (isWrong bool) {
	kind, _ := p.Doc.Text(item + "/type")
	to, _ := p.Doc.Text(item + "/path")
	if kind != "panel" && kind != "datasource" || path.Base(to) != bundle.MetadataFile || strings.HasPrefix(to, "/") {
		return false
	}
	name := path.Join(p.Dir, to)
	if isInside(p.Root, name) && exists(p, name) {
		return false
	}
	help := "correct the path, or delete the entry"
	for _, n := range undeclared(p) {
		if is, _ := n.doc.Text("/type"); is == kind {
			help = fmt.Sprintf("write %q, or delete the entry", below(p.Dir, n.file))
		}
	}
	p.Report(validate.Finding{
		Place:   p.Value(item + "/path"),
		Message: fmt.Sprintf("there is no plugin at %q", to),
		Help:    help,
	})
	return true
}
