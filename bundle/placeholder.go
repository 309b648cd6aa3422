package bundle

import "strings"

// The placeholders that a source plugin.json may hold, for what only the build
// knows.
const (
	PlaceholderVersion = "%VERSION%"
	PlaceholderToday   = "%TODAY%"
	PlaceholderID      = "%PLUGIN_ID%"
)

// Placeholders lists every placeholder.
func Placeholders() []string {
	return []string{PlaceholderVersion, PlaceholderToday, PlaceholderID}
}

// FindPlaceholder returns the first placeholder in text and its offset in bytes,
// or "".
func FindPlaceholder(text string) (name string, at int) {
	for _, p := range Placeholders() {
		if i := strings.Index(text, p); i >= 0 && (name == "" || i < at) {
			name, at = p, i
		}
	}
	return name, at
}
