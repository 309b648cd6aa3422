package packages

import (
	"bytes"
	"cmp"
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

// yarnReader finds packages by what requires them.
type yarnReader struct {
	*lock
	byRange     map[string]*Package
	byPlain     map[string][]string // keys by their part without bindings
	resolutions []yarnResolution    // of Yarn 2 and later: version 1 writes their result into the lockfile
	yarnConfiguration
}

// yarnConfiguration is the part of .yarnrc.yml that determines versions.
type yarnConfiguration struct {
	Catalog           map[string]string            `yaml:"catalog"`
	Catalogs          map[string]map[string]string `yaml:"catalogs"`
	PackageExtensions map[string]struct {
		Dependencies map[string]string `yaml:"dependencies"`
	} `yaml:"packageExtensions"`
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
	entries, r := map[string]yarnEntry{}, yarnReader{lock: l, byRange: map[string]*Package{}, byPlain: map[string][]string{}}
	var err error
	if bytes.Contains(text, []byte("\n__metadata:")) {
		l.manager = yarn
		if err = yaml.Unmarshal(text, &entries); err == nil {
			err = r.configure()
		}
	} else {
		entries, err = parseYarn1(text)
	}
	if err != nil {
		return err
	}
	top, uses := map[string]*Package{}, map[*Package]int{} // what Yarn installs at the top level, too
	for _, keys := range slices.Sorted(maps.Keys(entries)) {
		entry, list := entries[keys], strings.Split(keys, ", ")
		name, p := rangeName(list[0]), entry.locate(list[0])
		for _, key := range list {
			plain, _, _ := strings.Cut(key, "::")
			r.byRange[key], r.byPlain[plain] = p, append(r.byPlain[plain], key)
		}
		if uses[p] = len(list); top[name] == nil || p.refused != nil ||
			top[name].refused == nil && uses[p] >= uses[top[name]] {
			top[name] = p
		}
		l.addIntegrity(p) // later versions have none: their checksums are of archives that Yarn makes
	}
	for keys, entry := range entries {
		key, _, _ := strings.Cut(keys, ", ")
		p := r.byRange[key]
		p.scope = &scope{packages: map[string]*Package{}}
		if dir, isLocal := local(p.URL); isLocal {
			l.importer(dir)
		}
		for _, list := range []map[string]string{r.extensions(p), entry.OptionalDependencies, entry.Dependencies} {
			for name, wanted := range list {
				p.scope.packages[name] = cmp.Or(r.find(p, name, wanted), l.lacking(p, name, wanted))
			}
		}
	}
	r.addWorkspaces(top)
	if l.manager == yarn1 {
		l.checkResolutions()
	}
	return nil
}

// addWorkspaces adds what the package.json files of the repository require.
func (r *yarnReader) addWorkspaces(top map[string]*Package) {
	manifests, members := r.manifests(), map[string]*Package{} // the latter by name: Yarn 1 leaves them out of yarn.lock
	for dir, manifest := range manifests {
		members[manifest.Name] = &Package{Name: manifest.Name, URL: "workspace:" + dir}
	}
	for dir, manifest := range manifests {
		from := &Package{Name: cmp.Or(manifest.Name, "package.json"), locator: manifest.Name + "@workspace:" + dir}
		in := r.importer(dir).packages
		for name, wanted := range manifest.all(r.manager) {
			if p := cmp.Or(r.find(from, name, wanted), members[name]); p != nil {
				in[name] = p
			} else if !manifest.isPeer(name) {
				in[name] = r.lacking(from, name, wanted)
			}
		}
	}
	r.nest()
	maps.DeleteFunc(members, func(name string, _ *Package) bool { return top[name] != nil })
	maps.Copy(top, members)
	r.importer(".").outer = &scope{packages: top}
}

// locate returns the package of an entry, by its first key.
func (e yarnEntry) locate(key string) *Package {
	name := rangeName(key)
	p := &Package{Name: name, Version: e.Version, URL: e.Resolved, Integrity: e.Integrity}
	if _, isLocal := local(p.URL); !isLocal { // the integrity has the hash as well
		p.URL, _, _ = strings.Cut(p.URL, "#")
	}
	wanted := strings.TrimPrefix(key, name+"@")
	if e.Resolution != "" {
		p.Name = rangeName(e.Resolution)
		p.locator = e.Resolution
		reference := strings.TrimPrefix(e.Resolution, p.Name+"@")
		from, bindings, _ := strings.Cut(reference, "::")
		values, _ := url.ParseQuery(bindings) // without them, there is no such address
		switch {
		case strings.HasPrefix(from, "npm:"):
			p.URL = values.Get("__archiveUrl") // of a registry that names its tarballs in its own way
			p.locator = p.Name + "@" + from
		case isBuiltin(from): // Yarn's own patches are for tools
		case strings.HasPrefix(from, "patch:"):
			p.refused = patched(yarn)
		default:
			p.URL = reference // a workspace or a repository
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
func (r *yarnReader) find(from *Package, name, wanted string) *Package {
	if r.manager == yarn {
		wanted = r.resolve(from, name, wanted)
		if strings.HasPrefix(wanted, "patch:") && !isBuiltin(wanted) {
			return &Package{Name: name, refused: patched(yarn)}
		}
	}
	key := name + "@" + wanted
	if keys := r.byPlain[key]; len(keys) == 1 && r.byRange[key] == nil {
		key = keys[0]
	} else if len(keys) > 1 { // paths, each relative to another package
		for _, k := range keys {
			if strings.HasSuffix(k, "locator="+url.QueryEscape(from.locator)) {
				key = k
			}
		}
	}
	return r.byRange[key]
}

// lacking refuses what the lockfile lacks: another version is not what Yarn installs.
func (l *lock) lacking(from *Package, name, wanted string) *Package {
	return &Package{Name: name, refused: l.stale("has no entry for %s@%s, which %s requires", name, wanted, from.Name)}
}

// resolve returns the range that Yarn looks for instead of the one that a package requires.
func (r *yarnReader) resolve(from *Package, name, wanted string) string {
	if catalog, ok := strings.CutPrefix(wanted, "catalog:"); ok {
		wanted = r.Catalogs[catalog][name]
		if catalog == "" {
			wanted = r.Catalog[name]
		}
	}
	wanted = withProtocol(wanted)
	for _, to := range r.resolutions {
		if (to.parent == "" || to.parent == from.Name) && (to.parentReference == "" || to.parent+"@"+to.parentReference == from.locator) &&
			to.name == name && (to.wanted == "" || to.wanted == wanted) {
			return to.reference
		}
	}
	return wanted
}

// extensions returns what the repository adds to the dependencies of a package.
func (r *yarnReader) extensions(p *Package) map[string]string {
	more := map[string]string{}
	for key, extension := range r.PackageExtensions {
		if name, of := cutRange(key); name == p.Name && satisfies(p.Version, of) {
			maps.Copy(more, extension.Dependencies)
		}
	}
	return more
}

// withProtocol returns a range as Yarn 2 and later write it in keys.
func withProtocol(wanted string) string {
	if wanted == "" || strings.ContainsAny(wanted, ":/") { // an address, or a repository of GitHub
		return wanted
	}
	return "npm:" + wanted
}

// configure reads the resolutions, the catalogs and the extensions of the repository.
func (r *yarnReader) configure() error {
	p, err := readPackageJSON(filepath.Dir(r.file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var list yaml.Node // JSON in its order: the first one that fits applies
	if err := yaml.Unmarshal(p.Resolutions, &list); err != nil {
		return fmt.Errorf("package.json: resolutions: %w", err)
	}
	for _, object := range list.Content {
		for pair := range slices.Chunk(object.Content, 2) {
			if m := resolutionPattern.FindStringSubmatch(pair[0].Value); m != nil && object.Kind == yaml.MappingNode {
				r.resolutions = append(r.resolutions, yarnResolution{
					m[1], withProtocol(m[2]), m[3], withProtocol(m[4]), withProtocol(pair[1].Value),
				})
			}
		}
	}
	text, err := readFile(filepath.Join(filepath.Dir(r.file), ".yarnrc.yml"))
	if err != nil {
		return err
	}
	if err := yaml.Unmarshal([]byte(text), &r.yarnConfiguration); err != nil {
		return fmt.Errorf(".yarnrc.yml: %w", err)
	}
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

// cutRange returns the name and the range in a key such as "@a/b@^1.0.0".
func cutRange(key string) (name, wanted string) {
	name = rangeName(key)
	return name, strings.TrimPrefix(key[len(name):], "@")
}

// parseYarn1 reads the format of Yarn 1, which is YAML but for the colons before values and the quotes in keys.
func parseYarn1(text []byte) (entries map[string]yarnEntry, err error) {
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		name, value, isPair := strings.Cut(trimmed, " ")
		key, isKey := strings.CutSuffix(trimmed, ":")
		out.WriteString(line[:len(line)-len(strings.TrimLeft(line, " "))])
		switch {
		case isKey:
			fmt.Fprintf(&out, "%q:\n", strings.ReplaceAll(key, `"`, ""))
		case isPair && !strings.HasPrefix(trimmed, "#"):
			fmt.Fprintf(&out, "%q: %q\n", strings.Trim(name, `"`), strings.Trim(value, `"`))
		default:
			out.WriteString(trimmed + "\n")
		}
	}
	return entries, yaml.Unmarshal([]byte(out.String()), &entries)
}
