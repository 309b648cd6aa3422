package bundle

import (
	"slices"
	"strings"
)

// IsToolFolder says whether a folder of this name belongs to a tool or to tests
// and so is no part of a plugin, whatever it holds.
func IsToolFolder(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{dependenciesOfWeb, "testdata", "vendor"}, name)
}
