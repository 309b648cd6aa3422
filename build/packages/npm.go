package packages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"strings"
)

// npmPackage is a package of package-lock.json. Version 1 nests what lies in its node_modules, and has
// the ranges elsewhere.
type npmPackage struct {
	Name, Version, Resolved, Integrity string
	Link                               bool
	Dependencies                       map[string]json.RawMessage
	DevDependencies                    map[string]string
	OptionalDependencies               map[string]string
	PeerDependencies                   map[string]string
	Requires                           json.RawMessage
}

// parseNPM returns the packages of package-lock.json by path.
func parseNPM(text []byte) (map[string]npmPackage, error) {
	var lock struct {
		Packages     map[string]npmPackage
		Dependencies map[string]json.RawMessage // version 1
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, err
	}
	if lock.Packages == nil {
		lock.Packages = map[string]npmPackage{}
		return lock.Packages, flatten(lock.Packages, "", lock.Dependencies)
	}
	return lock.Packages, nil
}

// readNPM reads package-lock.json, which is a tree of directories: a package is looked up as Node.js does, in
// the node_modules of a directory and of all above.
func readNPM(l *lock, text []byte) error {
	entries, err := parseNPM(text)
	if err != nil {
		return err
	}
	packages, locked := map[string]*Package{}, map[string]map[string]string{}
	for at, entry := range entries {
		dir, name, ok := cutLast(at, "node_modules/")
		if !ok {
			locked[path.Clean(at)] = entry.ranges()
			continue
		}
		p := &Package{Name: cmp.Or(entry.Name, name), Version: entry.Version, URL: entry.Resolved, Integrity: entry.Integrity}
		if entry.Link {
			p.URL = "link:" + entry.Resolved
		}
		packages[at], l.importer(path.Clean(dir)).packages[name] = p, p
		l.addIntegrity(p)
	}
	l.nest()
	for at, p := range packages {
		p.scope = &scope{map[string]*Package{}, l.above(at)}
		for name := range entries[at].ranges() {
			if required := p.scope.find(name); required != nil {
				p.scope.packages[name] = required
			}
		}
	}
	l.checkRanges(locked, func(p *Package, _, wanted string) bool { return meets(p, wanted) })
	return nil
}

// ranges returns what a package requires.
func (p npmPackage) ranges() map[string]string {
	all := map[string]string{}
	maps.Copy(all, p.PeerDependencies)
	var list map[string]json.RawMessage
	if json.Unmarshal(p.Requires, &list) != nil { // version 1 also has true
		list = p.Dependencies
	}
	for name, text := range list {
		all[name] = strings.Trim(string(text), `"`)
	}
	for _, list := range []map[string]string{p.OptionalDependencies, p.DevDependencies} {
		maps.Copy(all, list)
	}
	return all
}

// flatten adds the packages of version 1 by their paths. The version of a package that does not
// come from a registry is its address, and that of an alias has the name of the package.
func flatten(to map[string]npmPackage, dir string, list map[string]json.RawMessage) error {
	for name, text := range list {
		var p npmPackage
		if err := json.Unmarshal(text, &p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if alias, ok := strings.CutPrefix(p.Version, "npm:"); ok {
			p.Name = rangeName(alias)
			p.Version = strings.TrimPrefix(alias, p.Name+"@")
		} else if strings.Contains(p.Version, ":") {
			p.Resolved = p.Version
		}
		at := path.Join(dir, "node_modules", name)
		to[at] = p
		if err := flatten(to, at, p.Dependencies); err != nil {
			return err
		}
	}
	return nil
}

func cutLast(s, separator string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i], s[i+len(separator):], true
	}
	return s, "", false
}
