package sdk

import (
	"net/http"
	"net/url"
	"strings"
)

// JoinURL appends segments to the path of a base URL, each as exactly one segment
// whatever is in it, so that the values of a query or of a request never lead out of
// the base: a slash becomes %2F, and a segment that is empty, or in which "." or ".."
// stands alone between slashes or backslashes, is an error: an *Error with status 400,
// since it comes from a query or the settings. What the base has as query is kept.
func JoinURL(base string, segments ...string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, Downstreamf(http.StatusBadRequest, "the address %q is no absolute http URL", redactURL(base))
	}
	u.Fragment, u.RawFragment = "", ""
	path, raw := strings.TrimRight(u.Path, "/"), strings.TrimRight(u.EscapedPath(), "/")
	for _, s := range segments {
		if err := checkSegment(s); err != nil {
			return nil, err
		}
		path += "/" + s
		raw += "/" + url.PathEscape(s)
	}
	u.Path, u.RawPath = path, raw
	return u, nil
}

// JoinPath appends a path that may have several segments, such as that of a resource
// request, to a base URL. Each of its segments is treated as JoinURL does; a slash at
// its beginning and at its end, and empty segments, are left out.
func JoinPath(base, path string) (*url.URL, error) {
	var segments []string
	for s := range strings.SplitSeq(path, "/") {
		if s != "" {
			segments = append(segments, s)
		}
	}
	return JoinURL(base, segments...)
}

// checkSegment refuses what some server might take for a step up: also in disguise,
// since proxies decode %2F and some servers split at backslashes.
func checkSegment(segment string) error {
	text := segment
	for range 3 { // decoded twice on the way, at most
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '\\' }) {
			part, _, _ = strings.Cut(part, ";") // parameters, which some servers cut off
			if part == "." || part == ".." {
				return Downstreamf(http.StatusBadRequest, "%q cannot be part of an address: it leads to another", segment)
			}
		}
		decoded, err := url.PathUnescape(text)
		if err != nil || decoded == text {
			break
		}
		text = decoded
	}
	if segment == "" || strings.ContainsFunc(segment, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Downstreamf(http.StatusBadRequest, "%q cannot be part of an address: it is empty or has control characters", segment)
	}
	return nil
}

// redactURL takes the user, the password and the query out of an address for a
// message.
func redactURL(text string) string {
	u, err := url.Parse(text)
	if text == "" {
		return ""
	}
	if err != nil || u.Host == "" || u.Opaque != "" { // "user:password@host" is read as a scheme
		return "(not shown: it may hold a password)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
