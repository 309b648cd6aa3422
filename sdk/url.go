package sdk

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/internal/urlpath"
)

// JoinURL appends segments to the path of base, an absolute http or https URL, whose
// query it keeps. Each becomes exactly one segment of the path, so that a value from a
// query or a request cannot lead to another path. The error is an *Error with status
// 400 if base is invalid or a segment is not safe: for example, if it is empty, contains
// control characters, or contains "." or ".." alone or between slashes, encoded or not.
func JoinURL(base string, segments ...string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, Downstreamf(http.StatusBadRequest, "invalid URL %q: expected an absolute http or https URL", redactURL(base))
	}
	u.Fragment, u.RawFragment = "", ""
	path, raw := strings.TrimRight(u.Path, "/"), strings.TrimRight(u.EscapedPath(), "/")
	for _, s := range segments {
		if err := urlpath.CheckValue(s); err != nil {
			return nil, Downstreamf(http.StatusBadRequest, "invalid path segment %q: it %s", s, err)
		}
		path += "/" + s
		raw += "/" + url.PathEscape(s)
	}
	u.Path, u.RawPath = path, raw
	return u, nil
}

// JoinPath appends a path, such as that of a resource request, to base. It treats each
// segment of the path as JoinURL does, and drops empty ones.
func JoinPath(base, path string) (*url.URL, error) {
	segments := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	return JoinURL(base, segments...)
}

// redactURL returns a URL without its user, password or query.
func redactURL(text string) string {
	if text == "" {
		return ""
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Opaque != "" { // "user:password@host" is read as a scheme
		return "(hidden: it may contain a password)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
