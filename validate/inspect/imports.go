package inspect

import (
	"bytes"
	"path"
	"regexp"
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
	Range        HostRange             // of the plugin to which the file belongs
	IsGuarded    bool                  // the file asks whether the host has it, or which version it is
	IsExported   bool                  // again, and no version has it: a type from before the table has no other form
	Place        func() validate.Place // of the import or, for a member of a whole module, of its first use
}

// SharedImports holds what the source of a frontend uses of the modules in the table of package shared
// that some version in its range lacks or deprecates: what its files import, whole modules that they
// import, and what other files of it export again. For a built plugin, it holds what module.js uses.
var SharedImports = validate.NewFact(func(p *validate.Pass) []SharedImport {
	if p.Where != validate.Source {
		return moduleImports(p, HostRanges.Of(p))
	}
	r := reexports{files: map[string]importer{}}
	var names []string
	read := func(c *Code) {
		name := strings.TrimSuffix(c.Name, path.Ext(c.Name))
		if _, isKnown := r.files[name]; isKnown || strings.HasSuffix(name, ".d") {
			return
		}
		imports, err := script.ReadImports(c.Name, c.Data)
		if err != nil {
			skipScript(p, c, err)
			return
		}
		r.files[name] = importer{c, imports}
		names = append(names, name)
	}
	eachFrontend(p, read, isAny, []string{"@grafana/", "react", "rxjs", "emotion", "'d3'", `"d3"`})
	if len(names) == 0 {
		return nil
	}
	if slices.ContainsFunc(names, func(name string) bool { return exportsAgain(r.files[name].imports) }) {
		eachFrontend(p, read, isAny, []string{"'.", `".`})
	}
	var all []SharedImport
	for _, name := range names {
		r.hosts = hostRangeIn(p, path.Dir(name))
		if f := r.files[name]; r.hosts.Err == nil && r.mayUse(f) {
			if s := readScript(p, f.code); s != nil {
				all = append(all, r.uses(p, s)...)
			}
		}
	}
	return all
})

// IsPartOfHost reports whether a module is not of a package but of the host, so that no build can bundle it.
func IsPartOfHost(module string) bool { return strings.HasPrefix(module, "app/") }

// EachPartOfHost calls check with each such module of which a file of the frontend's source uses a name.
func EachPartOfHost(p *validate.Pass, check func(module string, r HostRange, at func() validate.Place)) {
	EachScript(p, func(s *Script) {
		isUsed := func(n script.ImportedName) bool {
			for range s.Uses(n, n.Name == "*") {
				return !n.IsType
			}
			return false
		}
		for _, m := range s.Imports() {
			if IsPartOfHost(m.Module) && slices.ContainsFunc(m.Names, isUsed) {
				check(m.Module, hostRangeIn(p, path.Dir(s.Name)), func() validate.Place { return s.At(p, m.At, m.At) })
			}
		}
	}, "'app/", `"app/`)
}

// exportsAgain reports whether a file exports names of the host's modules.
func exportsAgain(imports []script.Import) bool {
	return slices.ContainsFunc(imports, func(m script.Import) bool {
		_, ok := shared.Find(m.Module)
		return ok && m.IsExport
	})
}

// reexports finds what the files of a frontend, by their names without extension, export of others.
type reexports struct {
	files map[string]importer
	hosts HostRange // of the file that is read
}

type importer struct {
	code    *Code
	imports []script.Import
}

// mayUse reports whether a file may use a name that matters, so that most files need not be parsed.
func (r reexports) mayUse(f importer) bool {
	for _, m := range f.imports {
		for _, n := range m.Names {
			find, isWhole := r.imported(f.code.Name, m, n)
			matters := func(member []byte) bool {
				module, name, ok := find(string(member))
				return ok && r.matters(module, name)
			}
			if find != nil && (!isWhole && matters(nil) || isWhole && (isAssigned(f.code.Data, n.Local) || mentionsMember(f.code.Data, matters))) {
				return true
			}
		}
	}
	return false
}

// imported returns what finds the module of the host and the name in it that a file imports, by the member of it
// if it is a whole module. It is nil if that is another module, or a type.
func (r reexports) imported(file string, m script.Import, n script.ImportedName) (find func(member string) (module, name string, ok bool), isWhole bool) {
	known, isShared := shared.Find(m.Module)
	if n.IsType || m.IsExport && !isShared {
		return nil, false
	}
	if m.IsExport {
		if _, isKnown := known.Name(n.Name); isKnown || n.Name == "*" || !shared.IsOurs(m.Module) {
			return nil, false
		}
	}
	_, isFile := r.file(file, m.Module)
	if !isShared && !isFile {
		return nil, false
	}
	if n.Name == "*" || n.Name == "default" && (m.Module == "react" || m.Module == "react-dom") {
		return func(member string) (string, string, bool) { return r.resolve(file, m.Module, member, 0) }, true
	}
	module, name, ok := r.resolve(file, m.Module, n.Name, 0)
	if !ok {
		return nil, false
	}
	if name == "*" { // from "export * as name"
		return func(member string) (string, string, bool) { return module, member, true }, true
	}
	return func(string) (string, string, bool) { return module, name, true }, false
}

// matters reports whether a version in the range lacks a name, or deprecates it.
func (r reexports) matters(module, name string) bool {
	m, ok := shared.Find(module)
	if !ok {
		return false
	}
	n, isKnown := m.Name(name)
	if !isKnown {
		return shared.IsOurs(module)
	}
	isLacking := n.Values != 0 && r.hosts.Admitted&m.Versions()&^n.Values != 0
	return isLacking || r.hosts.Admitted&n.Deprecated != 0
}

// asked matches a question for a name, as in 'name' in object, and object.hasOwnProperty('name').
var asked = regexp.MustCompile(`['"]([\w$]+)['"] in |has(?:Own(?:Property)?)?\((?:\w+, ?)?['"]([\w$]+)['"]\)`)

// uses returns what a file uses of the host's modules.
func (r reexports) uses(p *validate.Pass, s *Script) (all []SharedImport) {
	checksVersion := bytes.Contains(s.Data, []byte("buildInfo"))
	isKnown := map[string]bool{} // names that the file asks for
	for _, m := range asked.FindAllSubmatch(s.Data, -1) {
		isKnown[string(m[1])+string(m[2])] = true
	}
	for _, m := range s.Imports() {
		for _, n := range m.Names {
			find, isWhole := r.imported(s.Name, m, n)
			if find == nil {
				continue
			}
			seen := map[string]int{} // index in all
			uses := slices.Values([]script.Use{{At: n.At}})
			if !m.IsExport {
				uses = s.Uses(n, isWhole)
			}
			for use := range uses {
				module, name, ok := find(use.Member)
				if !ok || !r.matters(module, name) {
					continue
				}
				at := n.At
				if isWhole {
					at = use.At
				}
				found := SharedImport{Module: module, Name: name, Range: r.hosts, IsExported: m.IsExport,
					IsGuarded: checksVersion || use.IsGuard || isKnown[use.Member]}
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

// resolve returns the module of the host and the name in it that an import in a file refers to.
func (r reexports) resolve(file, module, name string, depth int) (string, string, bool) {
	if _, ok := shared.Find(module); ok {
		return module, name, true
	}
	const maxDepth = 8
	f, ok := r.file(file, module)
	if !ok || name == "*" || depth > maxDepth {
		return "", "", false
	}
	var stars []script.Import
	for _, m := range f.imports {
		for _, n := range m.Names {
			switch {
			case !m.IsExport || n.IsType:
			case n.Exported == name:
				return r.resolve(f.code.Name, m.Module, n.Name, depth+1)
			case n.Name == "*" && n.Exported == "":
				stars = append(stars, m)
			}
		}
	}
	isLacking := len(stars) > 0 && !bytes.Contains(f.code.Data, []byte(name)) // and so are the modules of all stars
	var lacking string
	for _, m := range stars {
		found, original, ok := r.resolve(f.code.Name, m.Module, name, depth+1)
		known, _ := shared.Find(found)
		if !ok {
			isLacking = false
		} else if n, isKnown := known.Name(original); n.Values != 0 {
			return found, original, true
		} else if isLacking = isLacking && !isKnown && original == name; isLacking {
			lacking = found
		}
	}
	return lacking, name, isLacking
}

// file returns the file that a path in another refers to.
func (r reexports) file(from, module string) (f importer, ok bool) {
	if !strings.HasPrefix(module, ".") {
		return f, false
	}
	base := path.Join(path.Dir(from), module)
	if f, ok = r.files[base]; !ok {
		f, ok = r.files[path.Join(base, "index")]
	}
	return f, ok
}

// moduleImports returns what module.js uses of the host's modules and some version in the range lacks.
// React is left out: what React 19 has removed is in many libraries, which do not use it there.
func moduleImports(p *validate.Pass, hosts HostRange) (all []SharedImport) {
	if hosts.Err != nil {
		return nil
	}
	m := Module.Of(p)
	lacking := map[string]map[string]bool{} // names by module
	for _, requested := range Requested(m.Data) {
		known, ok := shared.Find(requested.Module)
		if ok && !strings.HasPrefix(requested.Module, "react") {
			lacking[requested.Module] = known.Lacking(hosts.Admitted)
		}
	}
	isLacking := func(member []byte) bool {
		for _, names := range lacking {
			if names[string(member)] {
				return true
			}
		}
		return false
	}
	if !mentionsMember(m.Data, isLacking) { // as nearly always: reading a large bundle takes half a second
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
		if !lacking[member.Module][member.Name] || member.IsEntry && !shared.IsOurs(member.Module) { // a library's table
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
		use := SharedImport{Module: member.Module, Name: member.Name, Range: hosts, IsGuarded: member.IsGuard || checksVersion, Place: place}
		all = append(all, use)
	}
	return all
}

// isAssigned reports whether a script may have members of a module that do not follow a dot: it is assigned to a
// variable or a pattern, indexed, or the value of a call.
func isAssigned(data []byte, module string) bool {
	if module == "" {
		return true
	}
	for at := 0; ; at += len(module) {
		next := bytes.Index(data[at:], []byte(module))
		if next < 0 {
			return false
		}
		at += next
		before, after := bytes.TrimRight(data[:at], " \t\r\n("), data[at+len(module):]
		if bytes.HasSuffix(before, []byte("=")) || bytes.HasPrefix(after, []byte("[")) || bytes.HasPrefix(after, []byte("?.[")) {
			return true
		}
	}
}

// mentionsMember reports whether a script has such a member, of whatever object: after a dot, or in a pattern such
// as {member} = object.
func mentionsMember(data []byte, isSuch func(member []byte) bool) bool {
	isOther := func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	for _, end := range []string{"}=", "} ="} {
		for rest := data; ; {
			pattern, after, found := bytes.Cut(rest, []byte(end))
			if !found {
				break
			}
			rest = after
			pattern = pattern[bytes.LastIndexByte(pattern, '{')+1:]
			if slices.ContainsFunc(bytes.FieldsFunc(pattern, isOther), isSuch) {
				return true
			}
		}
	}
	for {
		dot := bytes.IndexByte(data, '.')
		if dot < 0 {
			return false
		}
		data = data[dot+1:]
		end := bytes.IndexFunc(data, isOther)
		if end < 0 {
			end = len(data)
		}
		if isSuch(data[:end]) {
			return true
		}
	}
}
