package rules

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/inspect"
)

func capabilityMissing(p *validate.Pass) {
	said := map[[2]string]bool{} // by the file of plugin.json and the key
	report := func(severity validate.Severity, doc *bundle.Document, key, what string, at func() validate.Place) {
		kind, _ := doc.Text("/type")
		if id := [2]string{doc.File, key}; kind == string(bundle.TypeDatasource) && !doc.Has("/"+key) && !said[id] {
			said[id], said[[2]string{doc.File}] = true, true
			f := validate.Finding{Severity: severity, Place: at(), Message: fmt.Sprintf("the data source has %s, but plugin.json does not set %q", what, key)}
			if doc.File == p.File {
				f.Fix = &validate.Fix{Title: fmt.Sprintf("add %q: true to plugin.json", key),
					Edits: []validate.Edit{p.Insert("", key, true)}}
			}
			p.Report(f)
		}
	}
	needed := map[string]string{"annotations": "annotations", "annotationQuery": "annotations", "getLogRowContext": "logs"} // by members
	classes := map[*bundle.Document]func() validate.Place{}
	inspect.EachScript(p, func(s *inspect.Script) {
		doc := inspect.PluginOf(p, s.Name)
		for i := range s.Tokens {
			if !s.Is(i, "extends") || !s.Is(i+1, "DataSourceApi", "DataSourceWithBackend") {
				continue
			}
			if classes[doc] == nil {
				classes[doc] = func() validate.Place { return s.At(p, i-1, i-1) }
			}
			for key, at := range s.MembersOf(i) {
				if capability := needed[key]; capability != "" {
					report("", doc, capability, "a member "+key, func() validate.Place { return s.At(p, at, at) })
				}
			}
		}
	}, "DataSourceApi", "DataSourceWithBackend")
	inspect.EachGoFile(p, func(f *inspect.GoFile) {
		for _, d := range f.Syntax.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "RunStream" {
				report(streamOnly.in(p), p.Doc, "streaming", "a method RunStream", func() validate.Place { return f.Place(p, m.Name) })
			}
		}
	}, "RunStream")
	for doc, at := range classes {
		isKind := func(key string) bool { return doc.Has("/" + key) }
		kind, _ := doc.Text("/type")
		if kind == string(bundle.TypeDatasource) && !said[[2]string{doc.File}] && !slices.ContainsFunc(queryKinds(), isKind) {
			p.Report(validate.Finding{Place: at(), Message: "hosts do not offer the data source for queries: plugin.json sets none of " + strings.Join(queryKinds(), ", "),
				Help: `set those to true that its queries return, such as "metrics"`})
		}
	}
}

// queryKinds returns the keys of plugin.json of which hosts ask for one to offer a data source: getList in
// public/app/features/plugins/datasource_srv.ts of existing hosts.
func queryKinds() []string { return []string{"metrics", "annotations", "logs", "tracing", "alerting"} }
