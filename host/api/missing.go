package api

import (
	_ "embed" // missing.txt
	"path"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// missingFamily is a family of paths that existing hosts serve and this one does not.
type missingFamily struct {
	Path string // what it begins with; "*" stands for one segment
	What string // what this host does not have
}

//go:embed missing.txt
var missingPaths string // each line is a Path and its What

// MissingPaths returns the families of paths that plugins and tools call, that existing hosts
// serve and this one does not. Their responses say what is missing.
func MissingPaths() (all []missingFamily) {
	for line := range strings.Lines(missingPaths) {
		path, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		all = append(all, missingFamily{path, what})
	}
	return all
}

// missing returns the error for a path that no route matches.
func missing(requested string) error {
	for _, m := range MissingPaths() {
		if m.matches(requested) {
			return &host.Error{Category: host.ErrNotFound, ID: "host.missing", Message: "this host has no " + m.What}
		}
	}
	return host.NotFound("Path")
}

func (m missingFamily) matches(requested string) bool {
	segments := strings.Split(strings.TrimSuffix(requested, "/"), "/")
	known := min(strings.Count(m.Path, "/")+1, len(segments))
	ok, _ := path.Match(m.Path, strings.Join(segments[:known], "/")) // the patterns are valid
	return ok
}
