package packages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/Masterminds/semver/v3"
	"go.yaml.in/yaml/v3"
)

// stale refuses what the package manager would first update the lockfile for, as npm ci and --frozen-lockfile do.
func (l *lock) stale(format string, args ...any) *RefusedError {
	command, _, _ := strings.Cut(install(l.manager), ":")
	command, _, _ = strings.Cut(command, ",")
	return &RefusedError{filepath.Base(l.file) + " " + fmt.Sprintf(format, args...), command + ", which updates the lockfile"}
}

// checkRanges refuses the packages for which a package.json has another range than when the lockfile was written.
// isIn reports whether what the lockfile has will do nevertheless.
func (l *lock) checkRanges(locked map[string]map[string]string, isIn func(p *Package, name, wanted string) bool) {
	for dir, manifest := range l.manifests() {
		for name, wanted := range manifest.all(l.manager) {
			p := l.above(dir).find(name)
			before, isLocked := locked[dir][name]
			_, isOptional := manifest.OptionalDependencies[name]
			if manifest.isPeer(name) || isLocked && (before == wanted || before == "") || p != nil && isIn(p, name, wanted) || p == nil && isOptional {
				continue
			}
			l.importer(dir).packages[name] = &Package{Name: name, refused: l.stale("is older than package.json, which requires %s@%s", name, wanted)}
		}
	}
	l.nest()
}

// meets reports whether a package is what a range of npm's syntax asks for. Only versions can be compared.
func meets(p *Package, wanted string) bool {
	if alias, ok := strings.CutPrefix(wanted, "npm:"); ok {
		name, of := cutRange(alias)
		return p.Name == name && meets(p, of)
	}
	_, err := semver.NewConstraint(wanted)
	_, isLocal := local(p.URL)
	return err != nil || isLocal || satisfies(p.Version, wanted)
}

func satisfies(version, wanted string) bool {
	v, err := semver.NewVersion(version)
	c, errRange := semver.NewConstraint(cmp.Or(wanted, "*"))
	if err != nil || errRange != nil {
		return false
	}
	c.IncludePrerelease = true
	return c.Check(v)
}

// pathPart matches a part of a path in the tree of requirements, in which names may have a scope.
var pathPart = regexp.MustCompile(`(?:@[^/]+/)?[^/]+`)

// checkResolutions refuses the packages of Yarn 1 that "resolutions" replace by another version than the lockfile has: it has one
// for each range, and their keys are patterns of paths from the repository, or names.
func (l *lock) checkResolutions() {
	var list map[string]string
	_ = json.Unmarshal(l.manifests()["."].Resolutions, &list) // Yarn reads nothing else
	type place struct {
		of *scope
		at int // in the pattern
	}
	for key, wanted := range list {
		pattern := pathPart.FindAllString(key, -1)
		if len(pattern) == 1 {
			pattern = []string{"**", key}
		}
		seen := map[place]bool{}
		var check func(place)
		check = func(p place) {
			if p.of == nil || p.at == len(pattern) || seen[p] {
				return
			}
			seen[p] = true
			isAny := pattern[p.at] == "**"
			if isAny {
				check(place{p.of, p.at + 1})
			}
			for name, to := range p.of.packages {
				isNamed, _ := path.Match(pattern[p.at], name) // Yarn refuses other patterns
				switch {
				case isAny:
					check(place{to.scope, p.at})
				case isNamed && p.at < len(pattern)-1:
					check(place{to.scope, p.at + 1})
				case isNamed && !meets(to, wanted):
					p.of.packages[name] = &Package{Name: to.Name, refused: l.stale("has version %s, but package.json resolves it to %s", to.Version, wanted)}
				}
			}
		}
		for _, s := range l.importers {
			check(place{s, 0})
		}
	}
}

// pnpmSettings are those in package.json, or in pnpm-workspace.yaml, that determine versions.
type pnpmSettings struct {
	Overrides           map[string]string            `json:"overrides" yaml:"overrides"`
	PatchedDependencies map[string]string            `json:"patchedDependencies" yaml:"patchedDependencies"`
	PackageExtensions   map[string]any               `json:"packageExtensions" yaml:"packageExtensions"`
	Catalog             map[string]string            `json:"-" yaml:"catalog"`
	Catalogs            map[string]map[string]string `json:"-" yaml:"catalogs"`
}

// check refuses the packages about which the repository says something that the lockfile does not reflect.
func (lock *pnpmLock) check(l *lock) error {
	text, err := readFile(filepath.Join(filepath.Dir(l.file), "pnpm-workspace.yaml"))
	if err != nil {
		return err
	}
	var workspace pnpmSettings
	if err := yaml.Unmarshal([]byte(text), &workspace); err != nil {
		return fmt.Errorf("pnpm-workspace.yaml: %w", err)
	}
	top, refused := l.manifests()["."], map[string]*RefusedError{} // the latter by name, which may have a range
	for catalog, list := range lock.Catalogs {
		now := workspace.Catalogs[catalog]
		if catalog == "default" && workspace.Catalog != nil {
			now = workspace.Catalog
		}
		for name, entry := range list {
			if now[name] != entry.Specifier {
				refused[name] = l.stale("is older than the catalogs of pnpm-workspace.yaml")
			}
		}
	}
	wanted := map[string]string{}
	_ = json.Unmarshal(top.Resolutions, &wanted) // pnpm reads nothing else
	for _, settings := range []pnpmSettings{top.PNPM, workspace} {
		maps.Copy(wanted, settings.Overrides)
		for key := range settings.PatchedDependencies {
			refused[key] = patched(pnpm)
		}
		for key := range settings.PackageExtensions {
			if lock.Extended == "" {
				refused[key] = l.stale("is older than packageExtensions")
			}
		}
	}
	for key, version := range wanted {
		before, ok := lock.Overrides[key]
		isComputed := strings.HasPrefix(version, "$") || strings.HasPrefix(version, "catalog:")
		isReplaced := len(workspace.Overrides) > 0 && workspace.Overrides[key] == "" // with all of package.json
		if !ok && !isReplaced || ok && !isComputed && version != before {
			refused[overridden(key)] = l.stale("is older than the override of %s", key)
		}
	}
	for key := range lock.Overrides {
		if wanted[key] == "" {
			refused[overridden(key)] = l.stale("overrides %s, which the repository no longer does", key)
		}
	}
	for _, p := range l.packages() {
		for key, r := range refused {
			if name, of := cutRange(key); p.Name == name && satisfies(p.Version, of) {
				p.refused = r
			}
		}
	}
	return nil
}

// overridden returns the name in the key of an override of pnpm, such as "parent@1>name@2".
func overridden(key string) string { return rangeName(key[strings.LastIndexByte(key, '>')+1:]) }
