package inspect

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/validate"
	"github.com/slipway-dev/slipway/validate/script"
	"github.com/slipway-dev/slipway/validate/shared"
)

// SharedImport is a name of a module of the host that a frontend uses as a value.
type SharedImport struct {
	Module, Name string
	IsGuarded    bool                  // the file asks whether the host has it, or which version it is
	Place        func() validate.Place // of the import or, for a member of a whole module, of its first use
}

// SharedImports holds what the source of a frontend uses of the modules in the table of package shared:
// what its files import, whole modules that they import, and what other files of it export again. For
// a built plugin, it holds what module.js uses.
var SharedImports = validate.NewFact(func(p *validate.Pass) []SharedImport {
	if p.Where != validate.Source {
		return moduleImports(p)
	}
	r := reexports{files: map[string]*Script{}}
	var names []string
	read := func(s *Script) {
		name := strings.TrimSuffix(s.Name, path.Ext(s.Name))
		if r.files[name] == nil && !strings.HasSuffix(name, ".d") {
			r.files[name] = s
			names = append(names, name)
		}
	}
	EachScript(p, read, `'@grafana/`, `"@grafana/`, `'react`, `"react`, `'rxjs`, `"rxjs`, `'@emotion/`, `"@emotion/`)
	if slices.ContainsFunc(names, func(name string) bool { return exportsAgain(r.files[name]) }) {
		EachScript(p, read, `'.`, `".`)
	}
	var all []SharedImport
	for _, name := range names {
		all = append(all, r.uses(p, r.files[name])...)
	}
	return all
})

// exportsAgain reports whether a file exports names of the host's modules.
func exportsAgain(s *Script) bool {
	return slices.ContainsFunc(s.Imports(), func(m script.Import) bool {
		_, ok := shared.Find(m.Module)
		return ok && m.IsExport
	})
}

// reexports finds what the files of a frontend, by their names without extension, export of others.
type reexports struct{ files map[string]*Script }

// uses returns what a file uses of the host's modules.
func (r reexports) uses(p *validate.Pass, s *Script) (all []SharedImport) {
	checksVersion := strings.Contains(string(s.Data), "buildInfo")
	for _, m := range s.Imports() {
		if m.IsExport {
			continue
		}
		for _, n := range m.Names {
			isWhole := n.Name == "*" || n.Name == "default" && (m.Module == "react" || m.Module == "react-dom")
			module, name, ok := r.resolve(s.Name, m.Module, n.Name, 0)
			if !ok || n.IsType || !isWhole && isAlways(module, name) {
				continue
			}
			seen := map[string]int{} // index in all
			isKnown := func(name string) bool { return strings.Contains(string(s.Data), "'"+name+"' in ") }
			for use := range s.Uses(n.Local, isWhole) {
				found := SharedImport{Module: module, Name: name, IsGuarded: checksVersion || use.IsGuard || isKnown(use.Member)}
				at := n.At
				if isWhole {
					found.Name, at = use.Member, use.At
				}
				if isWhole && isAlways(module, use.Member) {
					continue
				}
				if i, isSeen := seen[found.Name]; isSeen {
					all[i].IsGuarded = all[i].IsGuarded || found.IsGuarded
					continue
				}
				found.Place = func() validate.Place { return s.At(p, at, at) }
				seen[found.Name] = len(all)
				all = append(all, found)
			}
		}
	}
	return all
}

// isAlways reports whether every version exports a name, and none deprecates it.
func isAlways(module, name string) bool {
	m, ok := shared.Find(module)
	if !ok {
		return false
	}
	n, _ := m.Name(name)
	return n.Values == m.Versions() && n.Deprecated == 0
}

// resolve returns the module of the host and the name in it that an import in a file refers to.
func (r reexports) resolve(file, module, name string, depth int) (string, string, bool) {
	if _, ok := shared.Find(module); ok {
		return module, name, true
	}
	const maxDepth = 8
	if !strings.HasPrefix(module, ".") || name == "*" || depth > maxDepth {
		return "", "", false
	}
	base := path.Join(path.Dir(file), module)
	s := r.files[base]
	if s == nil {
		s = r.files[path.Join(base, "index")]
	}
	if s == nil {
		return "", "", false
	}
	var stars []script.Import
	for _, m := range s.Imports() {
		for _, n := range m.Names {
			switch {
			case !m.IsExport || n.IsType:
			case n.Exported == name:
				return r.resolve(s.Name, m.Module, n.Name, depth+1)
			case n.Name == "*" && n.Exported == "":
				stars = append(stars, m)
			}
		}
	}
	for _, m := range stars {
		found, original, ok := r.resolve(s.Name, m.Module, name, depth+1)
		if !ok {
			continue
		}
		known, _ := shared.Find(found)
		if n, _ := known.Name(original); n.Values != 0 {
			return found, original, true
		}
	}
	return "", "", false
}

// moduleImports returns what module.js uses of the host's modules and some version in the range lacks.
// React is left out: what React 19 has removed is in many libraries, which do not use it there.
func moduleImports(p *validate.Pass) (all []SharedImport) {
	m := Module.Of(p)
	_, r, ok := HostRange(p)
	if !ok {
		return nil
	}
	admitted := shared.Admitted(r)
	lacking := map[string]map[string]bool{} // names by module
	for _, requested := range Requested(m.Data) {
		known, ok := shared.Find(requested.Module)
		if ok && (shared.IsOurs(requested.Module) || strings.HasPrefix(requested.Module, "rxjs")) {
			lacking[requested.Module] = known.Lacking(admitted)
		}
	}
	if !mentionsMember(m.Data, lacking) { // as nearly always: reading a large bundle takes half a second
		return nil
	}
	f, err := script.Parse(ModuleFile, m.Data)
	if err != nil {
		p.Skipf("cannot read %s: %v", m.File, err)
		return nil
	}
	checksVersion := bytes.Contains(m.Data, []byte("buildInfo"))
	at := sync.OnceValue(func() func(int) bundle.Position { return bundle.Positions(m.Data) })
	seen := map[[2]string]int{} // index in all
	for member := range f.AMDMembers() {
		if !lacking[member.Module][member.Name] {
			continue
		}
		key := [2]string{member.Module, member.Name}
		if i, isSeen := seen[key]; isSeen {
			all[i].IsGuarded = all[i].IsGuarded || member.IsGuard
			continue
		}
		seen[key] = len(all)
		t := f.Tokens[member.At]
		place := func() validate.Place {
			p.Source(m.File, m.Data)
			return placeOf(m.File, at(), t.From, t.To)
		}
		all = append(all, SharedImport{Module: member.Module, Name: member.Name, IsGuarded: member.IsGuard || checksVersion, Place: place})
	}
	return all
}

// mentionsMember reports whether a script has a member with one of the names, of whatever object.
func mentionsMember(data []byte, names map[string]map[string]bool) bool {
	for {
		dot := bytes.IndexByte(data, '.')
		if dot < 0 {
			return false
		}
		data = data[dot+1:]
		end := bytes.IndexFunc(data, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end < 0 {
			end = len(data)
		}
		for _, set := range names {
			if set[string(data[:end])] {
				return true
			}
		}
	}
}
