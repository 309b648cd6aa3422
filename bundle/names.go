package bundle

import (
	"path"
	"slices"
	"strings"
)

// LicenseNames returns the names that a license file may have, in any case, that for which hosts and catalogs look first.
func LicenseNames() []string {
	return []string{"LICENSE", "LICENSE.md", "LICENSE.txt", "LICENCE", "LICENCE.md", "LICENCE.txt", "COPYING"}
}

// IsJunk reports whether systems and editors leave files or directories of this name behind.
func IsJunk(name string) bool {
	known := []string{"__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", ".ds_store"}
	ext := []string{".orig", ".rej", ".bak", ".swp"}
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "~") || strings.HasPrefix(name, "._") || slices.Contains(known, name) || slices.Contains(ext, path.Ext(name))
}
