package api

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/text"
	"github.com/slipway-dev/slipway/loader"
)

type identityKey struct{}

// As returns a handler of requests by a caller whom this process has authenticated: credentials in
// a request are not read. The caller has the permissions of the identity, and no others.
func (a *API) As(who host.Identity) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, who)))
	})
}

// identityOf returns the identity that As added to the context of a request.
func identityOf(ctx context.Context) (who host.Identity, ok bool) {
	who, ok = ctx.Value(identityKey{}).(host.Identity)
	return who, ok
}

// authenticate returns the identity of the caller: the owner of a bearer token, which is
// an API key or the token of a service account, or the user with basic credentials.
func (a *API) authenticate(r *http.Request, requestID string) (host.Identity, error) {
	if who, ok := identityOf(r.Context()); ok {
		return who, nil
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return a.bearer(r, value)
	case strings.EqualFold(scheme, "Basic"):
		login, password, ok := decodeBasic(value)
		if !ok {
			return host.Identity{}, host.Unauthorized("invalid username or password")
		}
		if login == apiKeyLogin {
			return a.bearer(r, password)
		}
		return a.login(r, requestID, login, password)
	case scheme == "":
		if token, ok := a.sessionOf(r); ok {
			who, _, err := a.Store.SignedIn(r.Context(), token)
			return who, err
		}
	}
	return host.Identity{}, host.Unauthorized("Unauthorized")
}

// apiKeyLogin is the login of clients that can send a token only as a password.
const apiKeyLogin = "api_key"

func (a *API) bearer(r *http.Request, text string) (host.Identity, error) {
	token, err := host.ParseToken(text)
	if err != nil {
		return host.Identity{}, err
	}
	return a.Store.Authenticate(r.Context(), token)
}

// login verifies basic credentials. After too many failures from a network, even the correct password
// is rejected for a while, so that nobody keeps guessing. Tokens and sessions are not affected.
func (a *API) login(r *http.Request, requestID, login, password string) (host.Identity, error) {
	// The zero User of an unknown login matches no password.
	user, err := a.Store.User(r.Context(), login)
	if err != nil && !errors.Is(err, host.ErrNotFound) {
		return host.Identity{}, err
	}
	credential := host.Credential{Login: login, Password: password, Network: networkOf(r.RemoteAddr)}
	matches, err := a.passwords.Verify(r.Context(), credential, user.PasswordHash, a.Clock())
	if err == nil && (!matches || user.IsDisabled) {
		err = host.Unauthorized("invalid username or password")
	}
	if err != nil {
		// Without the password. Handlers quote what is not printable.
		a.Logger.LogAttrs(r.Context(), slog.LevelWarn, "login failed", slog.String("request_id", requestID),
			slog.String("login", text.Cut(login, maxLoggedLogin)), slog.String("remote", r.RemoteAddr), slog.Any("reason", err))
		return host.Identity{}, err
	}
	return user.Identity(), nil
}

// maxLoggedLogin is the maximum number of bytes logged of a login that may not exist.
const maxLoggedLogin = 64

// maxCredentials is the maximum number of bytes of a login and its password. Logins that failed
// are kept, including those that do not exist.
const maxCredentials = 1024

func decodeBasic(encoded string) (login, password string, ok bool) {
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(decoded) > maxCredentials || !utf8.Valid(decoded) {
		return "", "", false
	}
	login, password, ok = strings.Cut(string(decoded), ":")
	return login, password, ok && !strings.Contains(login, "\x00")
}

// networkOf returns the part of a remote address that one attacker cannot vary: the
// address, or the first half of an IPv6 address.
func networkOf(remote string) string {
	parsed, err := netip.ParseAddrPort(remote)
	if err != nil {
		return remote
	}
	address, bits := parsed.Addr().Unmap().WithZone(""), 64
	if address.Is4() {
		bits = 32
	}
	prefix, err := address.Prefix(bits)
	if err != nil {
		return remote
	}
	return prefix.Addr().String()
}

// pluginRoles are the roles that the mounted plugins define.
type pluginRoles struct {
	revision uint64 // of the loader
	roles    []host.PluginRole
	refused  []bundle.Fault
}

// pluginRoles returns the roles of the plugins that are mounted now.
func (a *API) pluginRoles() *pluginRoles {
	revision := a.Plugins.Revision()
	known := a.roleCache.Load()
	if known == nil {
		known = &pluginRoles{}
	} else if known.revision == revision {
		return known
	}
	now := &pluginRoles{revision: revision}
	if a.Plugins.TakesRoles() {
		now.roles, now.refused = rolesOf(a.Plugins.Plugins(), a.Logger)
	}
	bundle.KeepSince(known.refused, now.refused, a.Clock())
	a.roleCache.Store(now)
	return now
}

// rolesOf returns the valid roles of plugins. It logs and refuses a role that reaches beyond its plugin.
func rolesOf(plugins []*loader.Plugin, log *slog.Logger) (roles []host.PluginRole, refused []bundle.Fault) {
	for _, p := range plugins {
		for _, r := range p.Bundle().Metadata.Roles {
			role := host.PluginRole{PluginID: p.ID(), Name: r.Role.Name, Description: r.Role.Description, GrantedTo: r.Grant}
			for _, permission := range r.Role.Permissions {
				role.Permissions = append(role.Permissions, host.Grant{Action: permission.Action, Scope: permission.Scope})
			}
			if err := role.Check(); err != nil {
				log.Warn("role not registered", "plugin", p.ID(), "role", r.Role.Name, "error", err)
				refused = append(refused, bundle.Fault{Code: bundle.FaultRole, PluginID: p.ID(), Path: p.Bundle().Dir, Reason: "role not registered: " + err.Error()})
				continue
			}
			roles = append(roles, role)
		}
	}
	return roles, refused
}

func (a *API) withRoles(who host.Identity) host.Identity {
	for _, role := range a.pluginRoles().roles {
		if role.IsHeldBy(who) {
			who.Grants = slices.Concat(who.Grants, role.Permissions) // a copy: grants are shared
		}
	}
	return who
}

// errMisdirected is the category of a request whose Host header does not name this host.
var errMisdirected = errors.New("host name not allowed")

// AnyHost in Options.AllowedHosts allows every host name.
const AnyHost = "*"

// guard rejects requests that a browser was tricked into sending, by a page whose host name now
// resolves to this host (DNS rebinding) or of another origin (cross-site request forgery).
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
		return &host.Error{Category: host.ErrNotFound, Message: `paths with //, "." or ".." are not served: not all servers read them alike`}
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

// hostName returns the name or address in a Host header, in lower case, without port and brackets.
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

// setSecurityHeaders sets the headers of every response, which handlers may make stricter. With the
// Referrer-Policy "no-referrer", the guard would not see the origin of a page of this host.
func setSecurityHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", frameAncestors)
}

// frameAncestors lets only pages of this host embed its responses.
const frameAncestors = "frame-ancestors 'self'"
