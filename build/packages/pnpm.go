package packages

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// pnpmLock is pnpm-lock.yaml, versions 6 and 9.
type pnpmLock struct {
	Version   string                  `yaml:"lockfileVersion"`
	Importers map[string]pnpmImporter `yaml:"importers"`
	Root      pnpmImporter            `yaml:",inline"` // version 6 without workspaces
	Packages  map[string]struct {
		Resolution struct {
			Integrity string `yaml:"integrity"`
			Tarball   string `yaml:"tarball"`
			Type      string `yaml:"type"`
		} `yaml:"resolution"`
		Name         string `yaml:"name"` // if the key is only an address, in version 6
		Version      string `yaml:"version"`
		pnpmSnapshot `yaml:",inline"`
	} `yaml:"packages"`
	Snapshots map[string]pnpmSnapshot `yaml:"snapshots"`
	Overrides map[string]string       `yaml:"overrides"`
	Extended  string                  `yaml:"packageExtensionsChecksum"`
	Catalogs  map[string]map[string]struct {
		Specifier string `yaml:"specifier"`
	} `yaml:"catalogs"`
}

type pnpmImporter struct {
	Dependencies         map[string]pnpmVersion `yaml:"dependencies"`
	DevDependencies      map[string]pnpmVersion `yaml:"devDependencies"`
	OptionalDependencies map[string]pnpmVersion `yaml:"optionalDependencies"`
}

func (i pnpmImporter) lists() []map[string]pnpmVersion {
	return []map[string]pnpmVersion{i.DevDependencies, i.OptionalDependencies, i.Dependencies} // the last takes precedence
}

type pnpmVersion struct {
	Specifier string `yaml:"specifier"`
	Version   string `yaml:"version"`
}

type pnpmSnapshot struct {
	Dependencies         map[string]string `yaml:"dependencies"`
	OptionalDependencies map[string]string `yaml:"optionalDependencies"`
}

// parsePNPM returns the last document, which is the repository's: one before it is about pnpm itself. After an error,
// it returns the document with the error.
func parsePNPM(text []byte) (last pnpmLock, err error) {
	for documents := yaml.NewDecoder(bytes.NewReader(text)); err == nil; {
		var next *pnpmLock
		if err = documents.Decode(&next); next != nil {
			last = *next
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return last, err
}

// readPNPM reads pnpm-lock.yaml, in which each package names the versions that it uses.
func readPNPM(l *lock, text []byte) error {
	lock, err := parsePNPM(text)
	if strings.HasPrefix(lock.Version, "5") {
		l.refuse("pnpm-lock.yaml is of pnpm 7 or older, which is not read")
		return nil
	}
	if err != nil {
		return err
	}
	for key, entry := range lock.Packages {
		plain, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "(") // without peer dependencies
		if entry.Resolution.Integrity != "" {
			l.integrities[plain] = entry.Resolution.Integrity
		}
	}
	packages, locked := map[string]*Package{}, map[string]map[string]string{} // the former by locator
	for dir, importer := range lock.importers() {
		in := l.importer(dir).packages
		locked[dir] = map[string]string{}
		for _, list := range importer.lists() {
			for name, v := range list {
				locked[dir][name] = v.Specifier
				if to, isLink := strings.CutPrefix(v.Version, "link:"); isLink {
					in[name] = &Package{Name: name, URL: "link:" + path.Join(dir, to)}
				} else if p := lock.add(packages, name, v.Version); p != nil {
					in[name] = p
				}
			}
		}
	}
	l.nest()
	l.hoist()
	l.checkRanges(locked, func(_ *Package, name, _ string) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(lock.Overrides)), func(key string) bool { return overridden(key) == name })
	})
	return lock.check(l)
}

func (lock *pnpmLock) importers() map[string]pnpmImporter {
	if lock.Importers == nil {
		return map[string]pnpmImporter{".": lock.Root}
	}
	return lock.Importers
}

// add returns a package, with all that it requires.
func (lock *pnpmLock) add(to map[string]*Package, name, version string) *Package {
	key := pnpmKey(name, version)
	if p := to[key]; p != nil {
		return p
	}
	plain, _, _ := strings.Cut(key, "(")
	entry, ok := lock.Packages[plain]
	for _, older := range []string{"/" + key, "/" + plain, strings.TrimPrefix(plain, name+"@")} {
		if !ok {
			entry, ok = lock.Packages[older]
		}
	}
	at := versionIndex(plain)
	if at <= 0 {
		return nil
	}
	p := &Package{
		Name: cmp.Or(entry.Name, plain[:at]), Version: cmp.Or(entry.Version, plain[at+1:]), locator: key,
		URL: entry.Resolution.Tarball, Integrity: entry.Resolution.Integrity, scope: &scope{packages: map[string]*Package{}},
	}
	if !ok || entry.Resolution.Type != "" {
		p.URL = version // a link, a directory or a git repository
	}
	if strings.Contains(key, "(patch_hash=") {
		p.refused = patched(pnpm)
	}
	to[key] = p
	snapshot, ok := lock.Snapshots[key]
	if !ok {
		snapshot = entry.pnpmSnapshot
	}
	for _, list := range []map[string]string{snapshot.OptionalDependencies, snapshot.Dependencies} {
		for name, version := range list {
			if required := lock.add(to, name, version); required != nil {
				p.scope.packages[name] = required
			}
		}
	}
	return p
}

// hoist finds the packages that pnpm puts where every package finds them, even if it does not require them: of several
// versions the one nearest to the repository, and of these the one required by the first package.
func (l *lock) hoist() {
	l.hoisted = &scope{packages: map[string]*Package{}}
	for _, p := range l.packages() {
		for name, required := range p.requires() {
			if l.hoisted.packages[name] == nil {
				l.hoisted.packages[name] = required
			}
		}
	}
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
