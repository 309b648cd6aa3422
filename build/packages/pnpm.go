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
	"sync"

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
}

type pnpmImporter struct {
	Dependencies         map[string]pnpmVersion `yaml:"dependencies"`
	DevDependencies      map[string]pnpmVersion `yaml:"devDependencies"`
	OptionalDependencies map[string]pnpmVersion `yaml:"optionalDependencies"`
}

func (i pnpmImporter) lists() []map[string]pnpmVersion {
	return []map[string]pnpmVersion{i.Dependencies, i.OptionalDependencies, i.DevDependencies}
}

type pnpmVersion struct {
	Version string `yaml:"version"`
}

type pnpmSnapshot struct {
	Dependencies         map[string]string `yaml:"dependencies"`
	OptionalDependencies map[string]string `yaml:"optionalDependencies"`
}

func (s pnpmSnapshot) lists() []map[string]string {
	return []map[string]string{s.Dependencies, s.OptionalDependencies}
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
	var mu sync.Mutex
	known, snapshots := map[string]*Package{}, map[string]pnpmSnapshot{}
	var get func(name, version string) *Package
	get = func(name, version string) *Package {
		key := pnpmKey(name, version)
		mu.Lock()
		defer mu.Unlock()
		if p := known[key]; p != nil {
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
			Name: cmp.Or(entry.Name, plain[:at]), Version: cmp.Or(entry.Version, plain[at+1:]),
			URL: entry.Resolution.Tarball, Integrity: entry.Resolution.Integrity,
		}
		if !ok || entry.Resolution.Type != "" {
			p.URL = version // a link, a directory or a git repository
		}
		if strings.Contains(key, "(patch_hash=") {
			p.refused = patched(pnpm)
		}
		known[key] = p
		snapshot, ok := lock.Snapshots[key]
		if !ok {
			snapshot = entry.pnpmSnapshot
		}
		snapshots[key] = snapshot
		p.find = func(name string) *Package {
			for _, list := range snapshot.lists() {
				if v, ok := list[name]; ok {
					return get(name, v)
				}
			}
			return nil
		}
		return p
	}
	l.find = func(dir, name string) *Package {
		importer, ok := lock.Importers[dir]
		for dir != "." && !ok {
			dir = path.Dir(dir)
			importer, ok = lock.Importers[dir]
		}
		if !ok {
			importer = lock.Root
		}
		for _, list := range importer.lists() {
			v, ok := list[name]
			if to, isLink := strings.CutPrefix(v.Version, "link:"); isLink {
				return &Package{Name: name, URL: "link:" + path.Join(dir, to)}
			}
			if ok {
				return get(name, v.Version)
			}
		}
		return nil
	}
	hoist := sync.OnceValue(func() map[string]*Package {
		return lock.hoist(get, func(key string) pnpmSnapshot {
			mu.Lock()
			defer mu.Unlock()
			return snapshots[key]
		})
	})
	l.hoisted = func(name string) *Package { return hoist()[name] }
	return nil
}

// hoist returns, by name, the packages that pnpm puts where every package finds them, even if it does not require them: of
// several versions the one nearest to the repository, and of these the one required by the first key.
func (lock *pnpmLock) hoist(get func(name, version string) *Package, required func(key string) pnpmSnapshot) map[string]*Package {
	found, seen, level := map[string]*Package{}, map[string]bool{}, map[string]bool{}
	visit := func(to map[string]bool, name, version string) *Package {
		p := get(name, version)
		if key := pnpmKey(name, version); p != nil && !seen[key] {
			seen[key], to[key] = true, true
		}
		return p
	}
	for _, importer := range append(slices.Collect(maps.Values(lock.Importers)), lock.Root) {
		for _, list := range importer.lists() {
			for name, v := range list {
				visit(level, name, v.Version)
			}
		}
	}
	for len(level) > 0 {
		below := map[string]bool{}
		for _, key := range slices.Sorted(maps.Keys(level)) {
			for _, list := range required(key).lists() {
				for name, version := range list {
					if p := visit(below, name, version); found[name] == nil {
						found[name] = p
					}
				}
			}
		}
		level = below
	}
	return found
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
