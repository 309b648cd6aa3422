package proxy

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

// held returns the headers that the host passes on in neither direction, neither for services nor for plugins.
// A name that ends with a hyphen stands for all that start with it.
func held() []string {
	return slices.Concat(connection(), []string{
		// Credentials, and who the caller is: the host decides what others learn of that.
		"Authorization", "Cookie", "Cookie2", "Set-Cookie", "Set-Cookie2", "X-Ds-Authorization", "X-Id-Token", "X-Grafana-Id",
		"X-Grafana-User", "X-Grafana-Org-Id", "X-Grafana-Device-Id", "Remote-User", "X-Remote-User", "X-Webauth-",
		// What a proxy before the host says of the caller, and what pages of the host say to it.
		"Forwarded", "X-Forwarded-", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Via",
		"Origin", "Referer", "Sec-",
		// Another method or path than the one that was checked.
		"X-Http-Method", "X-Http-Method-Override", "X-Method-Override", "X-Original-", "X-Rewrite-",
		// The host sets these itself.
		"X-Request-Id", "Deprecation",
		// Rules for the pages of the host, and effects beyond the response.
		"Access-Control-", "Content-Security-Policy", "Content-Security-Policy-Report-Only", "Cross-Origin-", "Document-Policy",
		"Feature-Policy", "Origin-Agent-Cluster", "Origin-Trial", "Permissions-Policy", "Referrer-Policy", "X-Content-Type-Options",
		"X-Dns-Prefetch-Control", "X-Frame-Options", "X-Permitted-Cross-Domain-Policies", "X-Xss-Protection",
		"Accept-Ch", "Critical-Ch", "Alt-Svc", "Clear-Site-Data", "Expect-Ct", "Nel", "Public-Key-Pins", "Refresh", "Report-To",
		"Reporting-Endpoints", "Service-Worker-Allowed", "Set-Login", "Sourcemap", "X-Sourcemap", "Speculation-Rules",
		"Strict-Transport-Security", "Supports-Loading-Mode", "Use-As-Dictionary",
		// Instructions to a proxy before the host.
		"X-Accel-", "X-Lighttpd-Send-File", "X-Sendfile", "Surrogate-Control",
	})
}

// connection returns the headers that determine where a message goes or ends.
func connection() []string {
	return []string{"Connection", "Content-Length", "Expect", "Host", "Http2-Settings", "Keep-Alive", "Proxy-", "Te", "Trailer",
		"Transfer-Encoding", "Upgrade"}
}

func isListed(name string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		return name == entry || strings.HasSuffix(entry, "-") && strings.HasPrefix(name, entry)
	})
}

// CopyHeaders copies what a caller, a plugin or a service sent, except the headers that are held,
// those that Connection names, those that a careless server takes for another one (a name with
// an underscore), and challenges for which a browser would ask for the password of the host.
func CopyHeaders(to, from http.Header) {
	all := held()
	for _, line := range from.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			if name = http.CanonicalHeaderKey(strings.TrimSpace(name)); name != "" {
				all = append(all, strings.TrimRight(name, "-"))
			}
		}
	}
	for key, values := range from {
		name := http.CanonicalHeaderKey(key)
		if isListed(name, all) || !isToken(name) || strings.Contains(name, "_") {
			continue
		}
		for _, value := range values {
			if name != "Www-Authenticate" || !asksForPassword(value) {
				to.Add(name, value)
			}
		}
	}
}

func asksForPassword(challenge string) bool {
	return slices.ContainsFunc([]string{"basic", "digest", "negotiate", "ntlm"}, func(scheme string) bool {
		return strings.Contains(strings.ToLower(challenge), scheme)
	})
}

// WithoutCredentials removes values with a token of the host or the credential of the request:
// a client may have repeated it in a header of its own.
func WithoutCredentials(header, request http.Header) {
	_, secret, _ := strings.Cut(request.Get("Authorization"), " ")
	secret = strings.TrimSpace(secret)
	for name, values := range header {
		values = slices.DeleteFunc(values, func(value string) bool {
			return host.ContainsToken(value) || secret != "" && strings.Contains(value, secret)
		})
		if header[name] = values; len(values) == 0 {
			delete(header, name)
		}
	}
}

// headers returns the headers of the outbound request: those of the caller, then those of the
// data source, then those of the route. Later ones take precedence.
func (s settings) headers(caller http.Header, route *bundle.Route, to Target) (http.Header, error) {
	out := http.Header{}
	CopyHeaders(out, caller)
	if own := caller.Get("X-Ds-Authorization"); own != "" && to.isDataSource() {
		out.Set("Authorization", own)
	}
	WithoutCredentials(out, caller)
	if _, ok := out["User-Agent"]; !ok {
		out["User-Agent"] = nil // suppresses the default of net/http
	}
	if to.isDataSource() {
		if err := s.signIn(out, to); err != nil {
			return nil, err
		}
	}
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

// isReserved reports whether a header cannot be set by a route or a data source.
func isReserved(name string) bool { return isListed(http.CanonicalHeaderKey(name), connection()) }

// isToken reports whether name is a token as defined in RFC 9110.
func isToken(name string) bool {
	return name != "" && host.HasOnly(name, "!#$%&'*+-.^_`|~")
}

// isHeaderValue reports whether text is UTF-8 without control characters.
func isHeaderValue(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 })
}

// copyResponseHeaders keeps a response from acting as a page of the host.
func copyResponseHeaders(h http.Header, from *http.Response) {
	CopyHeaders(h, from.Header)
	if !isBelow(h.Get("Location")) {
		h.Del("Location")
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
	if err != nil || place == "" || u.IsAbs() || u.Host != "" || u.Path == "" || u.Path[0] == '/' || strings.Contains(place, `\`) || !isHeaderValue(place) {
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

func (t Target) isDataSource() bool { return strings.HasPrefix(t.Scope, "datasources:") }

// signIn sets the headers of a data source: custom ones, basic authentication, unless the caller signs
// in to the service itself, and the cookies that it keeps. What it cannot apply is an error.
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
	if to.BasicAuth && own.Get("Authorization")+header.Get("Authorization") == "" {
		(&http.Request{Header: own}).SetBasicAuth(to.BasicAuthUser, to.Secrets["basicAuthPassword"])
	}
	if to.Cookies != "" && own.Get("Cookie") == "" {
		own.Set("Cookie", to.Cookies)
	}
	maps.Copy(header, own)
	return nil
}
