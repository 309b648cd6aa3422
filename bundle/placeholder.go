package bundle

import "strings"

// The placeholders in the source's plugin.json, which the build replaces.
const (
	PlaceholderVersion = "%VERSION%"
	PlaceholderToday   = "%TODAY%"
	PlaceholderID      = "%PLUGIN_ID%"
)

// Placeholders returns all placeholders.
func Placeholders() []string {
	return []string{PlaceholderVersion, PlaceholderToday, PlaceholderID}
}

// FindPlaceholder returns the first placeholder in text, or "", and its byte offset.
func FindPlaceholder(text string) (name string, at int) {
	for _, p := range Placeholders() {
		if i := strings.Index(text, p); i >= 0 && (name == "" || i < at) {
			name, at = p, i
		}
	}
	return name, at
}
