package proxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
)

// requestHeaders are the ones of the caller that go on: no cookies, no
// credentials, nothing about the connection or who is asking.
func requestHeaders() []string {
	return []string{
		"Accept", "Accept-Encoding", "Accept-Language", "Content-Encoding", "Content-Language", "Content-Type",
		"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range", "User-Agent",
	}
}

// responseHeaders are the ones of a service that come back: no cookies, nothing
// about the connection, no policy for the host's own pages, no word to a proxy in
// front of the host.
func responseHeaders() []string {
	return []string{
		"Accept-Ranges", "Age", "Allow", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Range", "Content-Type", "Etag", "Expires", "Last-Modified", "Link", "Retry-After", "Vary",
		"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Total-Count",
	}
}

// copyListed copies the listed headers, less those that the sender names in
// Connection: they were meant for us alone.
func copyListed(to, from http.Header, names []string) {
	var ours []string
	for _, line := range from.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			ours = append(ours, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range names {
		if values := from.Values(name); len(values) > 0 && !slices.Contains(ours, name) {
			to[name] = slices.Clone(values)
		}
	}
}

// headers returns what a request carries: the listed headers of the caller and
// those of the route, which win.
func (s settings) headers(caller http.Header, route *bundle.Route) (http.Header, error) {
	out := http.Header{"User-Agent": nil} // which keeps Go's own away
	copyListed(out, caller, requestHeaders())
	for _, h := range route.Headers {
		if !isToken(h.Name) || isReserved(h.Name) {
			return nil, unavailable("header %q of plugin.json: this name cannot be set", h.Name)
		}
		text, err := s.render("header "+h.Name, h.Content)
		if err != nil {
			return nil, err
		}
		if !isHeaderValue(text) {
			return nil, unavailable("header %s of plugin.json: its value has a line break or another character that no header may have", h.Name)
		}
		out.Set(h.Name, text)
	}
	return out, nil
}

// isReserved is true of what says where a message goes and where it ends.
func isReserved(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return strings.HasPrefix(name, "Proxy-") || slices.Contains([]string{
		"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
	}, name)
}

// isToken accepts the names that RFC 9110 does.
func isToken(name string) bool {
	return name != "" && onlyChars(name, "!#$%&'*+-.^_`|~", "no token") == nil
}

// isHeaderValue accepts text without control characters.
func isHeaderValue(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 })
}

// answerHeaders writes the headers of an answer. What a service answers must not
// act as a page of the host.
func answerHeaders(h http.Header, from *http.Response) {
	copyListed(h, from.Header, responseHeaders())
	if place := from.Header.Get("Location"); isBelow(place) {
		h.Set("Location", place)
	}
	if h.Get("Content-Type") == "" && from.ContentLength != 0 {
		h.Set("Content-Type", "application/octet-stream") // or else the server guesses, and may guess HTML
	}
	h.Set("Content-Security-Policy", "sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
}

// isBelow accepts a place that is relative and does not climb: any other would
// lead the caller around the route, or to the host's own pages.
func isBelow(place string) bool {
	u, err := url.Parse(place)
	if err != nil || place == "" || u.IsAbs() || u.Host != "" || u.Path == "" || u.Path[0] == '/' || !isHeaderValue(place) {
		return false
	}
	_, err = parsePath(u.EscapedPath())
	return err == nil
}
