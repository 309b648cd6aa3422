// Package packages provides the npm packages that a frontend imports, in the versions of
// the lockfile of its repository and without Node.js. It reads lockfiles of npm, Yarn and pnpm,
// downloads a package when it is first asked for, checks its integrity, and keeps it in a directory
// that repositories share. It runs no scripts, follows no links, and refuses packages that come from
// anywhere but the configured registries and the directories of the repository.
package packages

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Package is a package as a lockfile names it.
type Package struct {
	Name      string // in its own package.json
	Version   string
	URL       string // of the tarball, if the lockfile names it
	Integrity string // such as "sha512-..."; "" if the lockfile has none for the tarball

	dir      string            // in the tree of package-lock.json
	requires map[string]string // names, with what the lockfile calls the packages
	alias    string            // by which it is imported, if that is not its name
}

// ErrNoLockfile is the error of a repository without a lockfile.
var ErrNoLockfile = errors.New("no package-lock.json, yarn.lock or pnpm-lock.yaml")

const maxLockfile = 64 << 20

// lock is a lockfile.
type lock struct {
	file string // absolute
	top  string // the directory that packages of the repository must be in, absolute
	graph
}

// graph is what a lockfile specifies: packages, and what imports refer to. Its readers fill in
// what their format has.
type graph struct {
	packages    map[string]*Package // by path (npm), by name and range (Yarn), or by name and version (pnpm)
	integrities map[string]string   // by "name@version", of packages that have one

	isTree     bool                         // npm: an import is looked up in the directories above it
	importers  map[string]map[string]string // pnpm: what each package.json requires, by directory
	hoisted    map[string]*Package          // Yarn: by name, what is imported without being required
	workspaces *workspaces                  // Yarn: the package.json files, which its lockfile leaves out
}

func newGraph() graph {
	return graph{packages: map[string]*Package{}, integrities: map[string]string{}}
}

// add adds a package, which the lockfile calls by key.
func (g *graph) add(key string, p *Package) {
	g.packages[key] = p
	if p.Integrity != "" {
		g.integrities[p.Name+"@"+p.Version] = p.Integrity
	}
}

// imported returns what an import refers to in a file of the repository. The directory of the
// file is slash-separated and relative to that of the lockfile.
func (g *graph) imported(dir, name string) *Package {
	switch {
	case g.isTree:
		return g.above(dir, name)
	case g.workspaces != nil:
		if r, ok := g.workspaces.wants(dir, name); ok {
			if p := g.inRange(name, r); p != nil {
				return p
			}
		}
		if p := g.hoisted[name]; p != nil {
			return p // what Yarn installs at the top level, too
		}
		return g.workspaces.member(name)
	}
	importer, ok := g.importers[dir]
	for dir != "." && !ok {
		dir = path.Dir(dir)
		importer, ok = g.importers[dir]
	}
	version, ok := importer[name]
	if to, isLink := strings.CutPrefix(version, "link:"); isLink {
		return &Package{Name: name, URL: "link:" + path.Join(dir, to)}
	}
	if !ok {
		return nil
	}
	return g.ofVersion(name, version)
}

// required returns what an import refers to in a package, or nil.
func (g *graph) required(p *Package, name string) *Package {
	if g.isTree {
		return g.above(p.dir, name)
	}
	wanted, ok := p.requires[name]
	switch {
	case !ok:
		return nil
	case g.workspaces != nil:
		return g.inRange(name, wanted)
	}
	return g.ofVersion(name, wanted)
}

// above looks a package up as Node.js does: in the node_modules of a directory and of all above.
func (g *graph) above(dir, name string) *Package {
	for ; ; dir = path.Dir(dir) {
		if p := g.packages[path.Join(dir, "node_modules", name)]; p != nil || dir == "." {
			return p
		}
	}
}

// inRange finds a package of Yarn. Later versions write the protocol in front of a range.
func (g *graph) inRange(name, wanted string) *Package {
	return cmp.Or(g.packages[name+"@"+wanted], g.packages[name+"@npm:"+wanted])
}

// ofVersion finds a package of pnpm. What the lockfile does not describe, such as a link, has its
// address for a version.
func (g *graph) ofVersion(name, version string) *Package {
	key := pnpmKey(name, version)
	plain, _, _ := strings.Cut(key, "(")
	if p := cmp.Or(g.packages[key], g.packages[plain], g.packages[strings.TrimPrefix(plain, name+"@")]); p != nil {
		return p
	}
	return &Package{Name: name, URL: version}
}

// readLock finds the lockfile in a directory or above it, up to a directory that contains .git.
func readLock(root string) (*lock, error) {
	readers := []struct {
		name string
		read func(g *graph, text []byte) error
	}{
		{"package-lock.json", readNPM},
		{"npm-shrinkwrap.json", readNPM},
		{"yarn.lock", readYarn},
		{"pnpm-lock.yaml", readPNPM},
	}
	if _, err := readPackageJSON(root); err != nil {
		return nil, err
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		for _, r := range readers {
			file := filepath.Join(dir, r.name)
			info, err := os.Stat(file)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil && info.Size() > maxLockfile {
				err = fmt.Errorf("%s is larger than %d MiB", file, maxLockfile>>20)
			}
			var text []byte
			if err == nil {
				text, err = os.ReadFile(file)
			}
			if err != nil {
				return nil, fmt.Errorf("read lockfile: %w", err)
			}
			l := &lock{file: file, top: repository(dir), graph: newGraph()}
			if err := r.read(&l.graph, text); err != nil {
				return nil, fmt.Errorf("read %s: %w", file, err)
			}
			if r.name == "yarn.lock" {
				l.workspaces = &workspaces{root: dir}
			}
			return l, nil
		}
		if isTop(dir) {
			return nil, fmt.Errorf("%w in %s", ErrNoLockfile, root)
		}
	}
}

func isTop(dir string) bool { return exists(filepath.Join(dir, ".git")) || dir == filepath.Dir(dir) }

// repository returns the directory of the repository that a directory is in: the one that
// contains .git, or the directory itself outside of git.
func repository(dir string) string {
	top := dir
	for !isTop(top) {
		top = filepath.Dir(top)
	}
	if !exists(filepath.Join(top, ".git")) {
		return dir
	}
	return top
}

// packageJSON is what a package.json requires, by kind.
type packageJSON struct {
	Name                 string            `json:"name"`
	Workspaces           json.RawMessage   `json:"workspaces"` // patterns, or an object with "packages"
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	PeerDependencies     map[string]string `json:"peerDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
}

// wants returns the range that package.json has for a package.
func (p packageJSON) wants(name string) (string, bool) {
	for _, list := range []map[string]string{p.Dependencies, p.OptionalDependencies, p.DevDependencies, p.PeerDependencies} {
		if r, ok := list[name]; ok {
			return r, true
		}
	}
	return "", false
}

func readPackageJSON(root string) (p packageJSON, err error) {
	text, err := os.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("read package.json: %w", err)
	}
	return p, nil
}

// readNPM reads package-lock.json, which is a tree of directories.
func readNPM(g *graph, text []byte) error {
	var lock struct {
		Packages map[string]struct {
			Name, Version, Resolved, Integrity string
			Link                               bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return err
	}
	if lock.Packages == nil {
		return errors.New("version 1 has no list of packages: run npm install, with npm 7 or later")
	}
	g.isTree = true
	for dir, entry := range lock.Packages {
		const modules = "node_modules/"
		at := strings.LastIndex(dir, modules)
		if at < 0 {
			continue
		}
		p := &Package{
			Name: cmp.Or(entry.Name, dir[at+len(modules):]), Version: entry.Version, URL: entry.Resolved, Integrity: entry.Integrity, dir: dir,
		}
		if entry.Link {
			p.URL = "link:" + entry.Resolved
		}
		g.add(dir, p)
	}
	return nil
}

// pnpmLock is pnpm-lock.yaml, versions 6 and 9.
type pnpmLock struct {
	Importers map[string]pnpmImporter `yaml:"importers"`
	Root      pnpmImporter            `yaml:",inline"` // version 6 without workspaces
	Packages  map[string]pnpmPackage  `yaml:"packages"`
	Snapshots map[string]pnpmSnapshot `yaml:"snapshots"`
}

type pnpmPackage struct {
	Resolution struct {
		Integrity string `yaml:"integrity"`
		Tarball   string `yaml:"tarball"`
		Type      string `yaml:"type"`
	} `yaml:"resolution"`
	Name         string `yaml:"name"` // if the key is only an address, in version 6
	Version      string `yaml:"version"`
	pnpmSnapshot `yaml:",inline"`
}

type pnpmImporter struct {
	Dependencies         map[string]pnpmVersion `yaml:"dependencies"`
	DevDependencies      map[string]pnpmVersion `yaml:"devDependencies"`
	OptionalDependencies map[string]pnpmVersion `yaml:"optionalDependencies"`
}

type pnpmVersion struct {
	Version string `yaml:"version"`
}

type pnpmSnapshot struct {
	Dependencies         map[string]string `yaml:"dependencies"`
	OptionalDependencies map[string]string `yaml:"optionalDependencies"`
}

// all returns what an importer requires. The later list has the last word.
func (i pnpmImporter) all() map[string]string {
	versions := map[string]string{}
	for _, list := range []map[string]pnpmVersion{i.DevDependencies, i.OptionalDependencies, i.Dependencies} {
		for name, v := range list {
			versions[name] = v.Version
		}
	}
	return versions
}

// readPNPM reads pnpm-lock.yaml, in which each package names the versions that it uses.
func readPNPM(g *graph, text []byte) error {
	var lock pnpmLock
	if err := yaml.Unmarshal(text, &lock); err != nil {
		return err
	}
	for key, entry := range lock.Packages {
		if _, ok := lock.Snapshots[key]; !ok {
			g.addPNPM(key, entry, entry.pnpmSnapshot)
		}
	}
	for key, snapshot := range lock.Snapshots {
		plain, _, _ := strings.Cut(key, "(")
		g.addPNPM(key, lock.Packages[plain], snapshot)
	}
	g.importers = map[string]map[string]string{".": lock.Root.all()}
	for dir, importer := range lock.Importers {
		g.importers[dir] = importer.all()
	}
	return nil
}

func (g *graph) addPNPM(key string, entry pnpmPackage, snapshot pnpmSnapshot) {
	key = strings.TrimPrefix(key, "/")
	plain, _, _ := strings.Cut(key, "(") // without peer dependencies
	at := versionIndex(plain)
	p := &Package{
		Name: cmp.Or(entry.Name, plain[:max(at, 0)]), Version: cmp.Or(entry.Version, plain[at+1:]),
		URL: entry.Resolution.Tarball, Integrity: entry.Resolution.Integrity, requires: map[string]string{},
	}
	if entry.Resolution.Type != "" {
		p.URL = plain[at+1:] // a directory or a git repository
	}
	maps.Copy(p.requires, snapshot.OptionalDependencies)
	maps.Copy(p.requires, snapshot.Dependencies)
	g.add(key, p)
}

// pnpmKey names a package by what an importer has as its version: a version, or another
// package with its version.
func pnpmKey(name, version string) string {
	version = strings.TrimPrefix(version, "/")
	if plain, _, _ := strings.Cut(version, "("); versionIndex(plain) > 0 {
		return version
	}
	return name + "@" + version
}

// versionIndex returns where the @ between a name and a version or an address is, or -1.
func versionIndex(key string) int {
	if at := strings.Index(key, "@file:"); at > 0 || strings.HasPrefix(key, "file:") {
		return at
	}
	return strings.LastIndexByte(key, '@')
}

// yarnEntry is a package in yarn.lock. Its keys are the ranges that it satisfies.
type yarnEntry struct {
	Version              string            `yaml:"version"`
	Resolved             string            `yaml:"resolved"`   // version 1
	Resolution           string            `yaml:"resolution"` // later versions
	Integrity            string            `yaml:"integrity"`
	Dependencies         map[string]string `yaml:"dependencies"`
	OptionalDependencies map[string]string `yaml:"optionalDependencies"`
}

// readYarn reads yarn.lock. Version 1 has a format of its own; later ones are YAML and
// write the protocol in front of a range.
func readYarn(g *graph, text []byte) error {
	entries := map[string]yarnEntry{}
	var err error
	if bytes.Contains(text, []byte("\n__metadata:")) {
		err = yaml.Unmarshal(text, &entries)
	} else {
		entries, err = parseYarn1(text)
	}
	g.hoisted = map[string]*Package{}
	uses := map[*Package]int{}
	for _, keys := range slices.Sorted(maps.Keys(entries)) {
		entry := entries[keys]
		list := strings.Split(keys, ", ")
		name := rangeName(list[0])
		p := &Package{Name: name, Version: entry.Version, URL: entry.Resolved, Integrity: entry.Integrity, requires: map[string]string{}}
		if entry.Resolution != "" {
			at := strings.IndexByte(entry.Resolution[1:], '@') + 1
			p.Name = entry.Resolution[:at]
			if from := entry.Resolution[at+1:]; !strings.HasPrefix(from, "npm:") {
				p.URL = from // a workspace, a patch or a repository
			}
		} else if wanted := strings.TrimPrefix(list[0], name+"@"); entry.Resolved == "" {
			if _, isLocal := local(wanted); isLocal {
				p.URL = wanted
			}
		}
		maps.Copy(p.requires, entry.OptionalDependencies)
		maps.Copy(p.requires, entry.Dependencies)
		// Later versions have no integrity: their checksums are of archives that Yarn makes.
		for _, key := range list {
			g.add(key, p)
		}
		if uses[p] = len(list); g.hoisted[name] == nil || uses[p] >= uses[g.hoisted[name]] {
			g.hoisted[name] = p
		}
	}
	return err
}

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
				entry.Resolved, _, _ = strings.Cut(value, "#") // the integrity has the hash as well
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
