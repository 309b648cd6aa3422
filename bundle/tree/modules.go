package tree

import (
	"os"
	"path/filepath"
	"strings"
)

// LaidOutFile is in a node_modules that Slipway laid out for the checker of types and for editors. Code is not bundled
// from it: packages come from the cache, as if it were not there.
const LaidOutFile = ".slipway-lockfile"

// IsLaidOut reports whether Slipway wrote a node_modules, and no package manager has since.
func IsLaidOut(modules string) bool {
	for _, name := range []string{".package-lock.json", ".yarn-integrity", ".yarn-state.yml", ".modules.yaml"} {
		if _, err := os.Lstat(filepath.Join(modules, name)); err == nil {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(modules, LaidOutFile))
	return err == nil
}

// InLaidOut reports whether a file is in a node_modules that Slipway laid out.
func InLaidOut(file string) bool {
	above, _, ok := strings.Cut(filepath.ToSlash(file), "/node_modules/")
	return ok && IsLaidOut(filepath.Join(above, "node_modules"))
}
