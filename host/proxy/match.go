package proxy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/urlpath"
)

// match returns the route with the longest path that p begins with, and the rest of p.
// Among routes with the same path the first one that accepts the method wins. A route
// with a shorter path is never used instead, since it may require less of the caller.
func match(routes []bundle.Route, method string, p path) (*bundle.Route, path, error) {
	own := make([]path, len(routes))
	depth, read := -1, p.loose()
	for i, r := range routes {
		var err error
		if own[i], err = routePath(r.Path); err != nil {
			return nil, path{}, unavailable("plugin.json: routes[%d].%v", i, err)
		}
		if beginsWith(read, own[i].loose()) {
			depth = max(depth, len(own[i].segments))
		}
	}
	isPath := false
	for i := range routes {
		// A path that only a careless server takes for the path of this route matches
		// neither this route nor one with a shorter path.
		if len(own[i].segments) != depth || !beginsWith(p.segments, own[i].segments) {
			continue
		}
		if accepts(routes[i].Method, method) {
			return &routes[i], path{segments: p.segments[depth:], isDir: p.isDir}, nil
		}
		isPath = true
	}
	if isPath {
		return nil, path{}, host.Forbidden("the plugin route for this path does not accept %s", method)
	}
	return nil, path{}, host.NotFound("Plugin route")
}

// routePath parses the path of a route. A star at its end is optional: routes match all below them.
func routePath(text string) (path, error) {
	p, err := parsePath(text)
	if n := len(p.segments); n > 0 && p.segments[n-1] == "*" {
		p.segments = p.segments[:n-1]
	}
	return p, err
}

func beginsWith(segments, start []string) bool {
	return len(segments) >= len(start) && slices.Equal(segments[:len(start)], start)
}

// loose returns what a careless server takes the segments for, with their case folded.
func (p path) loose() (names []string) {
	for _, segment := range p.segments {
		for _, name := range urlpath.Loose(segment) {
			names = append(names, host.Fold(name))
		}
	}
	return names
}

// accepts reports whether a list such as "GET, post" contains the method. The method of
// the request must be in upper case: servers disagree about others.
func accepts(list, method string) bool {
	if method == "CONNECT" || method == "TRACE" {
		return false
	}
	if strings.TrimSpace(list) == "" {
		return true
	}
	for one := range strings.SplitSeq(list, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.ToUpper(one) == method {
			return true
		}
	}
	return false
}

const maxPath = 8 << 10

// path is a path that no server reads as one outside of it. Its segments are decoded and can
// contain slashes, which String encodes again. None of them is empty or has a dot segment.
type path struct {
	segments []string
	isDir    bool // ends with a slash
}

// parsePath parses an escaped path, with or without a leading slash. It rejects
// (host.ErrInvalid) any path that some server could take for another one.
func parsePath(escaped string) (path, error) {
	if len(escaped) > maxPath {
		return path{}, host.Invalid("path", "must not be longer than %d bytes", maxPath)
	}
	if strings.ContainsAny(escaped, "?#") {
		return path{}, host.Invalid("path", "must not contain ? or #")
	}
	rest := strings.TrimPrefix(escaped, "/")
	if rest == "" {
		return path{isDir: escaped != ""}, nil
	}
	var p path
	rest, p.isDir = strings.CutSuffix(rest, "/")
	for raw := range strings.SplitSeq(rest, "/") {
		segment, err := url.PathUnescape(raw)
		if err != nil {
			return path{}, host.Invalid("path", "must not contain a %% that is not followed by two hexadecimal digits")
		}
		if err := urlpath.CheckName(segment); err != nil {
			return path{}, host.Invalid("path", "is invalid: a segment %v", err)
		}
		p.segments = append(p.segments, segment)
	}
	if len(p.String()) > maxPath { // escaping can make it longer than it was
		return path{}, host.Invalid("path", "must not be longer than %d bytes", maxPath)
	}
	return p, nil
}

// String returns the escaped path with a leading slash.
func (p path) String() string {
	var b strings.Builder
	for _, s := range p.segments {
		b.WriteString("/" + url.PathEscape(s))
	}
	if p.isDir || len(p.segments) == 0 {
		b.WriteByte('/')
	}
	return b.String()
}

func (p path) join(rest path) path {
	all := append(p.segments[:len(p.segments):len(p.segments)], rest.segments...)
	return path{segments: all, isDir: rest.isDir || len(rest.segments) == 0 && p.isDir}
}
