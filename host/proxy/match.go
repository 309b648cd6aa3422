package proxy

import (
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
	depth := -1
	for i, r := range routes {
		var err error
		if own[i], err = routePath(r.Path); err != nil {
			return nil, path{}, unavailable("plugin.json: routes[%d].%v", i, err)
		}
		if beginsWith(p, own[i], loose) {
			depth = max(depth, len(own[i].segments))
		}
	}
	isPath := false
	for i := range routes {
		// A path that only a careless server takes for the path of this route matches
		// neither this route nor one with a shorter path.
		if len(own[i].segments) != depth || !beginsWith(p, own[i], exact) {
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

// routePath parses the path of a route. A star at its end is optional: routes match
// every path below theirs.
func routePath(text string) (path, error) {
	p, err := parsePath(text)
	if n := len(p.segments); n > 0 && p.segments[n-1] == "*" {
		p.segments = p.segments[:n-1]
	}
	return p, err
}

// beginsWith compares whole segments in the form that key returns.
func beginsWith(p, start path, key func(string) string) bool {
	return len(p.segments) >= len(start.segments) &&
		slices.EqualFunc(p.segments[:len(start.segments)], start.segments, func(a, b string) bool { return key(a) == key(b) })
}

func exact(segment string) string { return segment }

// loose returns what a careless server takes a segment for, with its case folded.
func loose(segment string) string { return host.Fold(urlpath.Loose(segment)) }

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
