package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/tree"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func nestedDeclared(p *validate.Pass) {
	if kind := p.Doc.Kind("/includes"); p.Doc.Kind("") != "object" || kind != "" && kind != "array" {
		return
	}
	misled := map[string]bool{} // types that an entry with a wrong path has
	for _, item := range p.Doc.Items("/includes") {
		checkTypeOfInclude(p, item)
		if checkInclude(p, item) {
			kind, _ := p.Doc.Text(item + "/type")
			misled[kind] = true
		}
	}
	for _, n := range undeclared.Of(p) {
		kind, _ := n.Text("/type")
		if misled[kind] && includedOtherwise.isOff(p) {
			continue // reported at that entry
		}
		name, _ := n.Text("/name")
		if name == "" {
			continue // reported in its own plugin.json
		}
		inner := tree.Below(p.Dir, n.File)
		p.Report(validate.Finding{
			Severity: includedPlugin.in(p),
			Place:    p.Opening("/includes"),
			Message:  fmt.Sprintf(`"includes" does not list the plugin %q in %s`, name, path.Dir(inner)),
			Help:     fmt.Sprintf(`add { "type": %q, "name": %q, "path": %q }`, kind, name, inner),
			Related:  []validate.Related{{Place: inspect.ValueIn(p, n, "/id"), Message: "the plugin is here"}},
		})
	}
}

// undeclared holds the nested plugins that no entry of "includes" refers to: by path,
// by id, or by type alone, since the names there often differ.
var undeclared = validate.NewFact(func(p *validate.Pass) (left []*bundle.Document) {
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
	for _, file := range inspect.Nested(p) {
		doc := inspect.Document(p, p.Root, file)
		if doc == nil {
			continue
		}
		kind, _ := doc.Text("/type")
		id, _ := doc.Text("/id")
		isDeclared := paths[file]
		if includedOtherwise.isOff(p) {
			isDeclared = isDeclared || paths[path.Dir(file)] || types[kind] || id != "" && ids[id]
		}
		if !isDeclared {
			left = append(left, doc)
		}
	}
	return left
})

// checkTypeOfInclude reports an entry that refers to the plugin.json of a nested plugin of another type.
func checkTypeOfInclude(p *validate.Pass, item string) {
	to, _ := p.Doc.Text(item + "/path")
	if path.Base(to) != bundle.MetadataFile || to == bundle.MetadataFile {
		return
	}
	nested, _ := p.Document(path.Join(p.Dir, to))
	if nested == nil {
		return // checkInclude reports it
	}
	declared, _ := p.Doc.Text(item + "/type")
	kind, _ := nested.Text("/type")
	isOther := declared == "" || kind != "panel" && kind != "datasource" // required-field and nested-type report it
	if kind == "" || declared == kind || isOther && includedOtherwise.isOff(p) {
		return
	}
	p.Report(validate.Finding{
		Severity: includedPlugin.in(p),
		Place:    p.Opening(item),
		Message:  fmt.Sprintf("the entry of the plugin in %s has the type %q, but the plugin has %q", path.Dir(to), declared, kind),
		Help:     fmt.Sprintf(`write "type": %q`, kind),
		Related:  []validate.Related{{Place: inspect.ValueIn(p, nested, "/type"), Message: "the type of the plugin is set here"}},
	})
}

// hasNested reports whether the plugin has a nested plugin of a type.
func hasNested(p *validate.Pass, kind string) bool {
	return !inspect.Exists(p, p.Dir) || slices.ContainsFunc(inspect.Nested(p), func(file string) bool {
		doc, _ := p.Document(file)
		if doc == nil {
			return true
		}
		is, _ := doc.Text("/type")
		return is == kind
	})
}

// checkInclude reports an entry that refers to the plugin.json of a nested plugin
// that does not exist.
func checkInclude(p *validate.Pass, item string) (isWrong bool) {
	kind, _ := p.Doc.Text(item + "/type")
	to, _ := p.Doc.Text(item + "/path")
	if to == "" && (kind == "panel" || kind == "datasource") && !hasNested(p, kind) {
		p.Report(validate.Finding{
			Severity: includedNothing.in(p), Place: p.Opening(item),
			Message: fmt.Sprintf("the plugin has no nested %s for this entry", kind), Help: "add the plugin and its path, or delete the entry",
			Fix: &validate.Fix{Title: "delete the entry", Edits: []validate.Edit{p.Remove(item)}},
		})
		return false
	}
	if kind != "panel" && kind != "datasource" || path.Base(to) != bundle.MetadataFile || strings.HasPrefix(to, "/") {
		return false
	}
	name := path.Join(p.Dir, to)
	if tree.IsInside(p.Root, name) && inspect.Exists(p, name) {
		return false
	}
	help := "correct the path, or delete the entry"
	for _, n := range undeclared.Of(p) {
		if is, _ := n.Text("/type"); is == kind {
			help = fmt.Sprintf("write %q, or delete the entry", tree.Below(p.Dir, n.File))
		}
	}
	p.Report(validate.Finding{
		Severity: includedPlugin.in(p),
		Place:    p.Value(item + "/path"),
		Message:  fmt.Sprintf("no plugin at %q", to),
		Help:     help,
	})
	return true
}
