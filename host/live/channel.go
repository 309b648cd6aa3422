package live

import (
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// The scopes of channels.
const (
	ScopeDataSource = "ds"     // the namespace is the uid of a data source
	ScopePlugin     = "plugin" // the namespace is the id of a plugin
)

const (
	maxChannel = 160 // bytes, without the organization
	defaultOrg = 1   // "default" in the name of a channel
)

// Channel is the address of a stream within an organization.
type Channel struct{ Scope, Namespace, Path string }

// String returns the name of the channel without an organization.
func (c Channel) String() string { return c.Scope + "/" + c.Namespace + "/" + c.Path }

// ParseChannel parses a name such as ds/<uid>/<path>. It may begin with the organization of
// the caller, as the names that frontends send do: "1/", "default/" or "org-2/".
func ParseChannel(name string, org int64) (Channel, error) {
	first, rest, _ := strings.Cut(name, "/")
	if named, ok := parseOrg(first); ok {
		if named != org {
			return Channel{}, host.Forbidden("the channel %q is in another organization", name)
		}
		name = rest
	}
	parts := strings.SplitN(name, "/", 3)
	if len(name) > maxChannel || len(parts) != 3 || !isWord(parts[0], "-_.") || !isWord(parts[1], "-_.") || !isWord(parts[2], "-_./=") {
		return Channel{}, host.Invalid("channel", "must have the form scope/namespace/path with at most %d letters, digits and -_./=, found %.200q", maxChannel, name)
	}
	return Channel{parts[0], parts[1], parts[2]}, nil
}

// parseOrg parses the organization at the beginning of a name.
func parseOrg(text string) (org int64, ok bool) {
	if text == "default" {
		return defaultOrg, true
	}
	org, err := strconv.ParseInt(strings.TrimPrefix(text, "org-"), 10, 64)
	return org, err == nil
}

func isWord(text, marks string) bool {
	for _, r := range text {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return text != ""
}

// address is a channel of an organization.
type address struct {
	org int64
	Channel
}
