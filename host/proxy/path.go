package proxy

import (
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/urlpath"
)

// maxPath is the maximum length of an escaped path in bytes.
const maxPath = 8 << 10

// path is a path that all servers read alike. Its segments are decoded, and none of
// them is empty or a dot segment.
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

// join returns the path with rest below it.
func (p path) join(rest path) path {
	all := append(p.segments[:len(p.segments):len(p.segments)], rest.segments...)
	return path{segments: all, isDir: rest.isDir || len(rest.segments) == 0 && p.isDir}
}
