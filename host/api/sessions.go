package api

import (
	"context"
	"maps"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// credentials sign a browser in: a login with its password, or a code of SignInCode.
type credentials struct {
	User     string `json:"user"`
	Password string `json:"password"`
	Code     string `json:"code"`
}

func (a *API) signIn(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	var c credentials
	if err := decode(w, r, &c); err != nil {
		return err
	}
	who, err := a.identify(r, w.(*response).requestID(), c)
	if err != nil {
		return err
	}
	if old, ok := a.sessionOf(r); ok { // signing in again ends the previous session
		if owner, session, err := a.Store.SignedIn(r.Context(), old); err == nil {
			_ = a.Store.DeleteSession(r.Context(), owner, session.ID) // fails if it has just ended
		}
	}
	token, session, err := a.Store.CreateSession(r.Context(), who, r.UserAgent())
	if err != nil {
		return err
	}
	a.setSession(w, r, token.Secret(), session.Created.Add(host.SessionLife))
	w.(*response).who = who
	return respond(w, http.StatusOK, message{Message: "Signed in"})
}

func (a *API) identify(r *http.Request, requestID string, c credentials) (host.Identity, error) {
	if len(c.User)+len(c.Password) > maxCredentials || strings.Contains(c.User, "\x00") {
		return host.Identity{}, host.Unauthorized("invalid username or password")
	}
	if c.Code == "" {
		return a.login(r, requestID, c.User, c.Password)
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(address); ip == nil || !ip.IsLoopback() || !a.codes.use(c.Code, a.Clock()) {
		return host.Identity{}, host.Unauthorized("the sign-in link has been used or is older than five minutes; sign in with the password")
	}
	admin, err := a.Store.User(r.Context(), host.AdminLogin)
	if err == nil && admin.IsDisabled {
		err = host.Unauthorized("the user %s is disabled", host.AdminLogin)
	}
	return admin.Identity(), err
}

func (a *API) signOut(w http.ResponseWriter, r *http.Request, _ host.Identity) error {
	if token, ok := a.sessionOf(r); ok {
		// The owner, since the caller is another one if the request has a token too.
		if owner, session, err := a.Store.SignedIn(r.Context(), token); err == nil {
			if err := a.Store.DeleteSession(r.Context(), owner, session.ID); err != nil {
				return err
			}
		}
	}
	a.setSession(w, r, "", time.Unix(0, 0))
	return respond(w, http.StatusOK, message{Message: "Signed out"})
}

func (a *API) sessions(ctx context.Context, who host.Identity, _ none) ([]hostapi.Session, error) {
	if who.Kind != host.KindUser {
		return []hostapi.Session{}, nil
	}
	return a.Store.Sessions(ctx, who.ID)
}

func (a *API) endSession(ctx context.Context, who host.Identity, in idPath) (message, error) {
	if who.Kind != host.KindUser {
		return message{}, host.NotFound("Session")
	}
	return message{Message: "Session ended"}, a.Store.DeleteSession(ctx, who, in.ID)
}

// The beginnings of the names of cookies.
const (
	sessionName  = "slipway_session"
	securePrefix = "__Host-" // over TLS
)

// isSessionCookie reports whether a cookie is that of a session, on any port.
func isSessionCookie(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, securePrefix), sessionName)
}

// sessionCookie returns the name of the cookie. It contains the port, because browsers
// send the cookies of a machine to all its ports.
func sessionCookie(r *http.Request) string {
	name := sessionName
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		name += "_" + port
	}
	if r.TLS != nil {
		name = securePrefix + name
	}
	return name
}

func (a *API) setSession(w http.ResponseWriter, r *http.Request, value string, expires time.Time) {
	http.SetCookie(w, &http.Cookie{Name: sessionCookie(r), Value: value, Path: "/", Expires: expires,
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode})
}

func (a *API) sessionOf(r *http.Request) (host.Token, bool) {
	cookie, err := r.Cookie(sessionCookie(r))
	if err != nil {
		return host.Token{}, false
	}
	token, err := host.ParseSession(cookie.Value)
	return token, err == nil
}

const (
	codeLife  = 5 * time.Minute
	mostCodes = 16
)

// codes are the codes of sign-in links. Each works once.
type codes struct {
	mu      sync.Mutex
	expires map[string]time.Time // by the digest of the code
}

// SignInCode returns a code that signs a browser on this machine in once, within five minutes, as host.AdminLogin.
func (a *API) SignInCode() string {
	code := host.NewToken(host.SessionToken)
	a.codes.add(code, a.Clock())
	return code.Secret()
}

func (c *codes) add(code host.Token, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeExpired(now)
	if c.expires == nil || len(c.expires) >= mostCodes {
		c.expires = map[string]time.Time{}
	}
	c.expires[code.Digest()] = now.Add(codeLife)
}

// use reports whether a code is valid, and makes it invalid.
func (c *codes) use(text string, now time.Time) bool {
	code, err := host.ParseSession(strings.TrimSpace(text))
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.removeExpired(now)
	_, ok := c.expires[code.Digest()]
	delete(c.expires, code.Digest())
	return ok
}

func (c *codes) removeExpired(now time.Time) {
	maps.DeleteFunc(c.expires, func(_ string, expires time.Time) bool { return !now.Before(expires) })
}
