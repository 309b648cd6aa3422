package packages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yarnEntry is a package in yarn.lock. Its keys are the ranges that it satisfies.
type yarnEntry struct {
	Version              string            `yaml:"version"`
	Resolved             string            `yaml:"resolved"`   // version 1
	Resolution           string            `yaml:"resolution"` // later versions
	Integrity            string            `yaml:"integrity"`
	Dependencies         map[string]string `yaml:"dependencies"`
	OptionalDependencies map[string]string `yaml:"optionalDependencies"`
}

// yarnGraph finds packages by what requires them.
type yarnGraph struct {
	byRange     map[string]*Package
	byPlain     map[string][]string // keys by their part without bindings
	resolutions []yarnResolution    // of Yarn 2 and later: version 1 writes their result into the lockfile
	catalogs    map[string]map[string]string
}

// yarnResolution is one of the "resolutions" in package.json, such as "parent@range/name@range": "npm:1.0.0".
type yarnResolution struct {
	parent, parentReference string // "" is any
	name, wanted            string // the latter may be ""
	reference               string
}

// readYarn reads yarn.lock. Version 1 has a format of its own; later ones are YAML and
// write the protocol in front of a range.
func readYarn(l *lock, text []byte) error {
	entries, g := map[string]yarnEntry{}, yarnGraph{byRange: map[string]*Package{}, byPlain: map[string][]string{}}
	var err error
	if bytes.Contains(text, []byte("\n__metadata:")) {
		l.manager = yarn
		if err = yaml.Unmarshal(text, &entries); err == nil {
			err = g.configure(filepath.Dir(l.file))
		}
	} else {
		entries, err = parseYarn1(text)
	}
	if err != nil {
		return err
	}
	hoisted, uses := map[string]*Package{}, map[*Package]int{}
	for _, keys := range slices.Sorted(maps.Keys(entries)) {
		entry, list := entries[keys], strings.Split(keys, ", ")
		name, p := rangeName(list[0]), entry.locate(list[0])
		p.find = func(name string) *Package {
			for _, wanted := range []map[string]string{entry.Dependencies, entry.OptionalDependencies} {
				if r, ok := wanted[name]; ok {
					return cmp.Or(g.find(l, p, name, r), lacking(p, name, r))
				}
			}
			return nil
		}
		for _, key := range list {
			plain, _, _ := strings.Cut(key, "::")
			g.byRange[key], g.byPlain[plain] = p, append(g.byPlain[plain], key)
		}
		if uses[p] = len(list); hoisted[name] == nil || p.refused != nil ||
			hoisted[name].refused == nil && uses[p] >= uses[hoisted[name]] {
			hoisted[name] = p
		}
		if p.Integrity != "" { // which later versions do not have: their checksums are of archives that Yarn makes
			l.integrities[p.Name+"@"+p.Version] = p.Integrity
		}
	}
	workspaces := &workspaces{root: filepath.Dir(l.file)}
	l.find = func(dir, name string) *Package {
		from, wanted, isPeer := workspaces.wants(dir, name)
		member := workspaces.member(name)
		if wanted != "" {
			if p := g.find(l, from, name, wanted); p != nil {
				return p
			} else if member == nil && !isPeer {
				return lacking(from, name, wanted)
			}
		}
		if p := hoisted[name]; p != nil {
			return p // what Yarn installs at the top level, too
		}
		return member
	}
	return nil
}

// locate returns the package of an entry, by its first key.
func (e yarnEntry) locate(key string) *Package {
	name := rangeName(key)
	p := &Package{Name: name, Version: e.Version, URL: e.Resolved, Integrity: e.Integrity}
	wanted := strings.TrimPrefix(key, name+"@")
	if e.Resolution != "" {
		p.Name = rangeName(e.Resolution)
		p.reference = strings.TrimPrefix(e.Resolution, p.Name+"@")
		from, bindings, _ := strings.Cut(p.reference, "::")
		values, _ := url.ParseQuery(bindings) // without them, there is no such address
		switch {
		case strings.HasPrefix(from, "npm:"):
			p.URL = values.Get("__archiveUrl") // of a registry that names its tarballs in its own way
			p.reference = from
		case isBuiltin(from): // Yarn's own patches are for tools
		case strings.HasPrefix(from, "patch:"):
			p.refused = patched(yarn)
		default:
			p.URL = p.reference // a workspace or a repository
		}
	} else if alias, ok := strings.CutPrefix(wanted, "npm:"); ok {
		p.Name = rangeName(alias)
	} else if _, isLocal := local(wanted); isLocal && e.Resolved == "" {
		p.URL = wanted
	}
	return p
}

// isBuiltin reports whether all patches of a package are Yarn's own.
func isBuiltin(reference string) bool {
	_, patches, ok := strings.Cut(reference, "#")
	for patch := range strings.SplitSeq(patches, "&") {
		ok = ok && strings.Contains(patch, "builtin<")
	}
	return ok && strings.HasPrefix(reference, "patch:")
}

// find returns the package that another one requires, or nil.
func (g *yarnGraph) find(l *lock, from *Package, name, wanted string) *Package {
	if l.manager == yarn {
		wanted = g.resolve(from, name, wanted)
		if strings.HasPrefix(wanted, "patch:") && !isBuiltin(wanted) {
			return &Package{Name: name, refused: patched(yarn)}
		}
	}
	key := name + "@" + wanted
	if keys := g.byPlain[key]; len(keys) == 1 && g.byRange[key] == nil {
		key = keys[0]
	} else if len(keys) > 1 { // paths, each relative to another package
		locator := "locator=" + url.QueryEscape(from.Name+"@"+from.reference)
		for _, k := range keys {
			if strings.HasSuffix(k, locator) {
				key = k
			}
		}
	}
	return g.byRange[key]
}

// lacking refuses what the lockfile lacks: another version is not what Yarn installs.
func lacking(from *Package, name, wanted string) *Package {
	return &Package{Name: name, refused: &RefusedError{
		fmt.Sprintf("yarn.lock has no entry for %s@%s, which %s requires", name, wanted, from.Name),
		"run yarn install, which updates the lockfile",
	}}
}

// resolve returns the range that Yarn looks for instead of the one that a package requires.
func (g *yarnGraph) resolve(from *Package, name, wanted string) string {
	if catalog, ok := strings.CutPrefix(wanted, "catalog:"); ok {
		wanted = g.catalogs[catalog][name]
	}
	wanted = withProtocol(wanted)
	for _, r := range g.resolutions {
		if (r.parent == "" || r.parent == from.Name) && (r.parentReference == "" || r.parentReference == from.reference) &&
			r.name == name && (r.wanted == "" || r.wanted == wanted) {
			return r.reference
		}
	}
	return wanted
}

// withProtocol returns a range as Yarn 2 and later write it in keys.
func withProtocol(wanted string) string {
	if wanted == "" || strings.ContainsAny(wanted, ":/") { // an address, or a repository of GitHub
		return wanted
	}
	return "npm:" + wanted
}

// configure reads the resolutions and the catalogs of a repository.
func (g *yarnGraph) configure(root string) error {
	p, err := readPackageJSON(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	list := json.NewDecoder(bytes.NewReader(p.Resolutions)) // in their order: the first one that fits applies
	for start, _ := list.Token(); start == json.Delim('{') && list.More(); {
		pattern, err := list.Token()
		var reference string
		if err == nil {
			err = list.Decode(&reference)
		}
		if err != nil {
			return fmt.Errorf("package.json: resolutions: %w", err)
		}
		if m := resolutionPattern.FindStringSubmatch(fmt.Sprint(pattern)); m != nil {
			g.resolutions = append(g.resolutions, yarnResolution{
				m[1], withProtocol(m[2]), m[3], withProtocol(m[4]), withProtocol(reference),
			})
		}
	}
	text, err := readFile(filepath.Join(root, ".yarnrc.yml"))
	if err != nil {
		return err
	}
	var of struct {
		Catalog  map[string]string            `yaml:"catalog"`
		Catalogs map[string]map[string]string `yaml:"catalogs"`
	}
	if err := yaml.Unmarshal([]byte(text), &of); err != nil {
		return fmt.Errorf(".yarnrc.yml: %w", err)
	}
	if g.catalogs = of.Catalogs; g.catalogs == nil {
		g.catalogs = map[string]map[string]string{}
	}
	g.catalogs[""] = of.Catalog
	return nil
}

// resolutionPattern matches "parent@range/name@range", in which names may have a scope.
var resolutionPattern = regexp.MustCompile(
	`^(?:((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?/)?((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?$`)

// rangeName returns the name in a key such as "@a/b@^1.0.0".
func rangeName(key string) string {
	if i := strings.IndexByte(key[min(1, len(key)):], '@'); i >= 0 {
		return key[:i+1]
	}
	return key
}

// parseYarn1 reads the format of Yarn 1: keys with a colon, indented by two or four spaces,
// and values after a space.
func parseYarn1(text []byte) (map[string]yarnEntry, error) {
	entries := map[string]yarnEntry{}
	var key, section string
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimLeft(line, " ")
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		switch indent := len(line) - len(trimmed); {
		case indent == 0 && strings.HasSuffix(line, ":"):
			key, section = strings.ReplaceAll(strings.TrimSuffix(line, ":"), `"`, ""), ""
			entries[key] = yarnEntry{Dependencies: map[string]string{}, OptionalDependencies: map[string]string{}}
		case indent == 2 && strings.HasSuffix(line, ":"):
			section = strings.TrimSuffix(trimmed, ":")
		default:
			name, value, ok := strings.Cut(trimmed, " ")
			if !ok || key == "" {
				return nil, fmt.Errorf("line %d: unexpected %q", n, trimmed)
			}
			name, value = strings.Trim(name, `"`), strings.Trim(value, `"`)
			entry := entries[key]
			switch {
			case indent == 2 && name == "version":
				entry.Version = value
			case indent == 2 && name == "resolved":
				entry.Resolved = value
				if _, isLocal := local(value); !isLocal { // the integrity has the hash as well
					entry.Resolved, _, _ = strings.Cut(value, "#")
				}
			case indent == 2 && name == "integrity":
				entry.Integrity = value
			case indent == 4 && section == "dependencies":
				entry.Dependencies[name] = value
			case indent == 4 && section == "optionalDependencies":
				entry.OptionalDependencies[name] = value
			}
			entries[key] = entry
		}
	}
	return entries, nil
}
