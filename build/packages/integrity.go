package packages

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Integrities returns the integrity of each package in the lockfile that has one, by
// "name@version". It returns nil if the lockfile has become unreadable.
func (s *Store) Integrities() map[string]string {
	s.listing.Do(func() {
		text, err := os.ReadFile(s.Lockfile())
		if err != nil {
			return
		}
		s.integrities = map[string]string{}
		switch filepath.Base(s.Lockfile()) {
		case "yarn.lock":
			err = listYarn(s.integrities, text)
		case "pnpm-lock.yaml":
			err = listPNPM(s.integrities, text)
		default:
			err = listNPM(s.integrities, text)
		}
		if err != nil {
			s.integrities = nil
		}
	})
	return s.integrities
}

func listNPM(to map[string]string, text []byte) error {
	packages, err := parseNPM(text)
	for at, entry := range packages {
		if _, name, ok := cutLast(at, "node_modules/"); ok && entry.Integrity != "" {
			if entry.Name != "" {
				name = entry.Name // an alias
			}
			to[name+"@"+entry.Version] = entry.Integrity
		}
	}
	return err
}

// listYarn omits the checksums of later versions, which are of archives that yarn makes.
func listYarn(to map[string]string, text []byte) error {
	if bytes.Contains(text, []byte("\n__metadata:")) {
		return nil
	}
	entries, err := parseYarn1(text)
	for key, entry := range entries {
		if name := rangeName(key); entry.Integrity != "" {
			to[name+"@"+entry.Version] = entry.Integrity
		}
	}
	return err
}

func listPNPM(to map[string]string, text []byte) error {
	var lock pnpmLock
	err := yaml.Unmarshal(text, &lock)
	for key, entry := range lock.Packages {
		plain, _, _ := strings.Cut(strings.TrimPrefix(key, "/"), "(") // without peer dependencies
		if entry.Resolution.Integrity != "" {
			to[plain] = entry.Resolution.Integrity
		}
	}
	return err
}
