package bundle

import (
	"fmt"
	"regexp"
	"slices"
)

// maxID is the maximum length of a plugin id in bytes.
const maxID = 128

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// CheckID returns an error unless a host can mount a plugin with the id: it is part of
// URLs, scopes and names of accounts. Package validate recommends less, and published
// plugins use more.
func CheckID(id string) error {
	switch {
	case len(id) > maxID:
		return fmt.Errorf("id has %d bytes; the limit is %d", len(id), maxID)
	case !validID.MatchString(id):
		return fmt.Errorf("invalid id %q: use letters, digits, hyphens, dots and underscores, and start with a letter or digit", id)
	case slices.Contains([]string{"errors", "events"}, id):
		return fmt.Errorf("reserved id %q: choose another", id)
	}
	return nil
}
