package packages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// RefusedError is the error for packages that a download would not provide as the package manager installs them.
type RefusedError struct{ Text, Help string }

// Error returns what cannot be downloaded.
func (e *RefusedError) Error() string { return e.Text }

// Shared returns what the error is for all packages that it concerns, and what to do about it.
func (e *RefusedError) Shared() (text, help string) { return e.Text, e.Help }

// install says how to provide packages that are not downloaded.
func install(manager string) string {
	command := map[string]string{
		npm: "npm install", yarn1: "yarn install", pnpm: "pnpm install", bun: "bun install",
		yarn: "yarn install, with nodeLinker: node-modules in .yarnrc.yml",
	}[manager]
	return fmt.Sprintf("run %s: packages in node_modules are used as they are", command)
}

// refuse makes a lockfile one from which no package is downloaded.
func (l *lock) refuse(text string) {
	for dir, manifest := range l.manifests() {
		for name := range manifest.all(l.manager) {
			l.importer(dir).packages[name] = &Package{Name: name, refused: &RefusedError{text, install(l.manager)}}
		}
	}
	l.nest()
}

func readBun(l *lock, _ []byte) error {
	l.refuse("the lockfile of Bun is not read")
	return nil
}

// patchName matches the names of the files of patch-package, such as "parent++@acme+a+1.0.0.patch".
var patchName = regexp.MustCompile(`^(?:.*\+\+)?((?:@[^+]+\+)?[^+]+)\+`)

// patchedByScript returns the names of the packages that the program patch-package patches, in a script of the repository.
func patchedByScript(dirs ...string) (names []string) {
	for _, dir := range dirs {
		p, _ := readPackageJSON(dir) // without it, nothing is required
		if p.all("")["patch-package"] == "" {
			continue
		}
		patches, _ := os.ReadDir(filepath.Join(dir, "patches")) // without it, there are none
		for _, patch := range patches {
			if m := patchName.FindStringSubmatch(patch.Name()); m != nil && filepath.Ext(patch.Name()) == ".patch" {
				names = append(names, strings.Replace(m[1], "+", "/", 1))
			}
		}
	}
	return names
}

// refusal returns why a package that a file imports is not downloaded, or nil.
func (s *Store) refusal(importer string, p *Package) *RefusedError {
	if strings.Contains(filepath.ToSlash(importer), ".zip/node_modules/") {
		return &RefusedError{"packages in the archives of Yarn's Plug'n'Play are not read", install(yarn)}
	}
	if slices.Contains(s.patched, p.Name) {
		return patched(s.lock.manager)
	}
	return p.refused
}

func patched(manager string) *RefusedError {
	return &RefusedError{"the repository patches packages, and downloads are not patched", install(manager)}
}
