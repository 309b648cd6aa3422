package api

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// errMisdirected is the category of a request whose Host header does not name this host.
var errMisdirected = errors.New("host name not allowed")

// AnyHost in Options.AllowedHosts allows every host name.
const AnyHost = "*"

// guard rejects requests that a browser was tricked into sending, on every route:
// by a page whose host name suddenly resolves to this host (DNS rebinding), or by a page
// of another origin (cross-site request forgery).
type guard struct {
	names   []string // in lower case
	origins *http.CrossOriginProtection
}

func newGuard(allowed []string) guard {
	g := guard{origins: http.NewCrossOriginProtection()}
	for _, name := range allowed {
		g.names = append(g.names, strings.ToLower(strings.TrimSuffix(name, ".")))
	}
	return g
}

// check returns an error if a request must not be served.
func (g guard) check(r *http.Request) error {
	if !g.allowsHost(r) {
		return &host.Error{Category: errMisdirected, ID: "host.notAllowed", Message: "the host name " + strconv.Quote(r.Host[:min(len(r.Host), 100)]) +
			" is not allowed; use the address that the host printed, or start it with this name as an allowed host"}
	}
	if !isCleanPath(r.URL.EscapedPath()) { // the mux would redirect it
		return host.NotFound("Path")
	}
	for _, name := range []string{"Authorization", "Origin", "Sec-Fetch-Site"} {
		if len(r.Header[name]) > 1 { // a proxy may have checked the other one
			return host.Invalid("", "the header %s must not occur more than once", name)
		}
	}
	if err := g.origins.Check(r); err != nil {
		return host.Forbidden("requests that change something must not come from pages of other origins")
	}
	return nil
}

// allowsHost reports whether the Host header names this host. Loopback always does. Only
// clients of HTTP/1.0, which are not browsers, may omit it.
func (g guard) allowsHost(r *http.Request) bool {
	if slices.Contains(g.names, AnyHost) || r.Host == "" && !r.ProtoAtLeast(1, 1) {
		return true
	}
	name, ok := hostName(r.Host)
	if !ok {
		return false
	}
	if address, err := netip.ParseAddr(name); err == nil {
		return g.allowsAddress(address.Unmap())
	}
	_, parent, _ := strings.Cut(name, ".")
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || slices.Contains(g.names, name) || slices.Contains(g.names, "*."+parent)
}

// allowsAddress reports whether an address names this host. The unspecified address in
// the list stands for all: a page cannot make an address resolve to another one.
func (g guard) allowsAddress(address netip.Addr) bool {
	return address.IsLoopback() || slices.ContainsFunc(g.names, func(name string) bool {
		allowed, err := netip.ParseAddr(name)
		return err == nil && (allowed.IsUnspecified() || allowed.Unmap() == address)
	})
}

// hostName returns the name or the address in a Host header, in lower case and without
// the port and brackets.
func hostName(header string) (name string, ok bool) {
	name = header
	if before, port, err := net.SplitHostPort(header); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", false
		}
		name = before
	} else if strings.HasSuffix(header, "]") {
		name = strings.TrimPrefix(strings.TrimSuffix(header, "]"), "[")
	}
	isBracketed := strings.HasPrefix(header, "[")
	if isBracketed != strings.Contains(name, ":") || strings.Contains(name, "%") {
		return "", false
	}
	return strings.ToLower(strings.TrimSuffix(name, ".")), name != "" && name[0] != '.'
}

// isCleanPath reports whether a path begins with a slash and has no empty segments but
// the last one, and no "." or "..".
func isCleanPath(path string) bool {
	rest, ok := strings.CutPrefix(path, "/")
	for more := ok; more; {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if segment == "" && more || segment == "." || segment == ".." {
			return false
		}
	}
	return ok
}

// setSecurityHeaders sets the headers that every response has. Handlers may replace them
// with stricter ones. The Referrer-Policy is not "no-referrer", which would hide the
// origin of a page of this host from the guard.
func setSecurityHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", frameAncestors)
}

// frameAncestors lets only pages of this host embed its responses.
const frameAncestors = "frame-ancestors 'self'"

func (a *API) logRejected(w *response, r *http.Request, err error) {
	a.log.LogAttrs(r.Context(), slog.LevelWarn, "request rejected", slog.String("request_id", w.requestID()),
		slog.String("remote", r.RemoteAddr), slog.Any("reason", err))
}
