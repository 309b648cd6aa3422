package proxy

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// match returns the route whose path has the most segments in common with p, and
// what is left of p below it. Of routes with one path the first that takes the
// method counts; a shorter one never stands in, since it may ask for less.
func match(routes []bundle.Route, method string, p path) (*bundle.Route, path, error) {
	own := make([]path, len(routes))
	depth := -1
	for i, r := range routes {
		var err error
		if own[i], err = routePath(r.Path); err != nil {
			return nil, path{}, unavailable("routes[%d] of plugin.json: %v", i, err)
		}
		if beginsWith(p, own[i], loose) {
			depth = max(depth, len(own[i].segments))
		}
	}
	isPath := false
	for i := range routes {
		// What only a careless server takes for the path of a route is not that path,
		// but must not pass for the path of a shorter route either.
		if len(own[i].segments) != depth || !beginsWith(p, own[i], exact) {
			continue
		}
		if takes(routes[i].Method, method) {
			return &routes[i], path{segments: p.segments[depth:], isFolder: p.isFolder}, nil
		}
		isPath = true
	}
	if isPath {
		return nil, path{}, host.Forbidden("the route of the plugin for this path does not take %s", method)
	}
	return nil, path{}, host.NotFound("A route of the plugin for this path")
}

// routePath reads the path of a route; a star at its end says what is true anyway.
func routePath(text string) (path, error) {
	p, err := parsePath(text)
	if n := len(p.segments); n > 0 && p.segments[n-1] == "*" {
		p.segments = p.segments[:n-1]
	}
	return p, err
}

// beginsWith compares whole segments, in the form that key gives them.
func beginsWith(p, start path, key func(string) string) bool {
	return len(p.segments) >= len(start.segments) &&
		slices.EqualFunc(p.segments[:len(start.segments)], start.segments, func(a, b string) bool { return key(a) == key(b) })
}

func exact(segment string) string { return segment }

// loose is what a careless server takes a segment for: decoded once more, in any
// case, without parameters and without dots and spaces at its end.
func loose(segment string) string {
	for again := decodeAgain(segment); again != segment; again = decodeAgain(segment) {
		segment = again
	}
	name, _, _ := strings.Cut(segment, ";")
	return host.Fold(strings.TrimRightFunc(name, isDotOrNothing))
}

// takes reports whether a list such as "GET, post" has the method. A request's own
// method has one case: what servers make of another is not known.
func takes(list, method string) bool {
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
