package proxy

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
)

// requestHeaders returns the headers of the caller that are forwarded: no cookies, no
// credentials, nothing about the connection or the caller.
func requestHeaders() []string {
	return []string{
		"Accept", "Accept-Encoding", "Accept-Language", "Content-Encoding", "Content-Language", "Content-Type",
		"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range", "User-Agent",
	}
}

// responseHeaders returns the headers from a service that are passed back: no cookies,
// nothing about the connection, no policy for the pages of the host, no instructions to
// a proxy in front of the host.
func responseHeaders() []string {
	return []string{
		"Accept-Ranges", "Age", "Allow", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language",
		"Content-Range", "Content-Type", "Etag", "Expires", "Last-Modified", "Link", "Retry-After", "Vary",
		"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Total-Count",
	}
}

// copyListed copies the listed headers except those that Connection names: they apply
// to one connection only.
func copyListed(to, from http.Header, names []string) {
	var perConnection []string
	for _, line := range from.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			perConnection = append(perConnection, http.CanonicalHeaderKey(strings.TrimSpace(name)))
		}
	}
	for _, name := range names {
		if values := from.Values(name); len(values) > 0 && !slices.Contains(perConnection, name) {
			to[name] = slices.Clone(values)
		}
	}
}

// headers returns the headers of the outbound request: the listed ones of the caller
// and those of the route, which take precedence.
func (s settings) headers(caller http.Header, route *bundle.Route) (http.Header, error) {
	out := http.Header{"User-Agent": nil} // suppresses the default of net/http
	copyListed(out, caller, requestHeaders())
	for _, h := range route.Headers {
		if !isToken(h.Name) || isReserved(h.Name) {
			return nil, unavailable("plugin.json: header %q cannot be set", h.Name)
		}
		text, err := s.render("header "+h.Name, h.Content)
		if err != nil {
			return nil, err
		}
		if !isHeaderValue(text) {
			return nil, unavailable("plugin.json: the value of header %q contains a line break or another invalid character", h.Name)
		}
		out.Set(h.Name, text)
	}
	return out, nil
}

// isReserved reports whether a header determines where a message goes or ends.
func isReserved(name string) bool {
	name = http.CanonicalHeaderKey(name)
	return strings.HasPrefix(name, "Proxy-") || slices.Contains([]string{
		"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
	}, name)
}

// isToken reports whether name is a token as defined in RFC 9110.
func isToken(name string) bool {
	return name != "" && hasOnly(name, "!#$%&'*+-.^_`|~")
}

// isHeaderValue reports whether text is UTF-8 without control characters.
func isHeaderValue(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 })
}

// copyResponseHeaders sets the headers of a response. They keep the response from a
// service from acting as a page of the host.
func copyResponseHeaders(h http.Header, from *http.Response) {
	copyListed(h, from.Header, responseHeaders())
	if place := from.Header.Get("Location"); isBelow(place) {
		h.Set("Location", place)
	}
	if h.Get("Content-Type") == "" && from.ContentLength != 0 {
		h.Set("Content-Type", "application/octet-stream") // net/http would guess, perhaps HTML
	}
	h.Set("Content-Security-Policy", "sandbox; frame-ancestors 'self'")
	h.Set("X-Content-Type-Options", "nosniff")
}

// isBelow reports whether place is a relative path without dot segments. Any other
// would lead the caller around the route or to pages of the host.
func isBelow(place string) bool {
	u, err := url.Parse(place)
	if err != nil || place == "" || u.IsAbs() || u.Host != "" || u.Path == "" || u.Path[0] == '/' || !isHeaderValue(place) {
		return false
	}
	_, err = parsePath(u.EscapedPath())
	return err == nil
}

// routes returns the routes of the target. A data source whose plugin declares none has one
// for all paths below its URL, as in existing hosts.
func (t Target) routes() []bundle.Route {
	if len(t.Routes) == 0 && t.URL != "" {
		return []bundle.Route{{}}
	}
	return t.Routes
}

// signIn sets the headers of a data source whose plugin declares no routes: its custom
// headers, its basic authentication and the cookies that it keeps. It returns an error for a
// setting that the proxy cannot apply.
func (s settings) signIn(header http.Header, to Target) error {
	own := http.Header{}
	for _, key := range slices.Sorted(maps.Keys(s.JsonData)) {
		number, isHeader := strings.CutPrefix(key, "httpHeaderName")
		if !isHeader || s.JsonData[key] == "" {
			continue
		}
		name, _ := s.JsonData[key].(string)
		if !isToken(name) || isReserved(name) {
			return unavailable("the data source setting %q does not name a header that may be set", key)
		}
		value, isSet := to.Secrets["httpHeaderValue"+number]
		if !isSet || !isHeaderValue(value) {
			return unavailable("the secret %q of the data source is missing, or contains a line break or another invalid character", "httpHeaderValue"+number)
		}
		own.Add(name, value)
	}
	if to.BasicAuth && own.Get("Authorization") == "" {
		(&http.Request{Header: own}).SetBasicAuth(to.BasicAuthUser, to.Secrets["basicAuthPassword"])
	}
	if to.Cookies != "" && own.Get("Cookie") == "" {
		own.Set("Cookie", to.Cookies)
	}
	maps.Copy(header, own)
	return nil
}
