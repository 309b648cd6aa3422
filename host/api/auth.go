package api

import (
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/slipway-dev/slipway/host"
)

// authenticate returns the identity of the caller: the owner of a bearer token, which is
// an API key or the token of a service account, or the user with basic credentials.
func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (host.Identity, error) {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	value = strings.TrimSpace(value)
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return a.bearer(r, value)
	case strings.EqualFold(scheme, "Basic"):
		wrong := host.Unauthorized("invalid username or password")
		login, password, ok := decodeBasic(value)
		if !ok {
			return host.Identity{}, wrong
		}
		if login == apiKeyLogin {
			return a.bearer(r, password)
		}
		return a.login(w, r, login, password)
	case scheme == "":
		if token, ok := a.sessionOf(r); ok {
			who, _, err := a.store.SignedIn(r.Context(), token)
			return who, err
		}
	}
	return host.Identity{}, host.Unauthorized("Unauthorized")
}

// apiKeyLogin is the login under which clients that support only basic credentials send a
// token as the password.
const apiKeyLogin = "api_key"

// bearer returns the owner of a token.
func (a *API) bearer(r *http.Request, text string) (host.Identity, error) {
	token, err := host.ParseToken(text)
	if err != nil {
		return host.Identity{}, err
	}
	return a.store.Authenticate(r.Context(), token)
}

// login verifies basic credentials. After too many failures, even the correct password
// is rejected for a while: otherwise an attacker could keep guessing. Other networks, tokens
// and sessions are not affected.
func (a *API) login(w http.ResponseWriter, r *http.Request, login, password string) (host.Identity, error) {
	wrong := host.Unauthorized("invalid username or password")
	// The zero User of an unknown login matches no password.
	user, err := a.store.User(r.Context(), login)
	if err != nil && !errors.Is(err, host.ErrNotFound) {
		return host.Identity{}, err
	}
	from := attempt{login, networkOf(r.RemoteAddr)}
	credential := host.Credential{Login: login, Password: password, Network: from.network}
	err = a.logins.check(from, a.clock())
	matches := err == nil && a.passwords.IsVerified(credential, user.PasswordHash)
	if err == nil && !matches {
		matches, err = a.passwords.Match(r.Context(), credential, user.PasswordHash, func() (func(bool), error) {
			return a.logins.begin(from, a.clock())
		})
	}
	if err == nil && (!matches || user.IsDisabled) {
		err = wrong
	}
	if err != nil {
		a.logLogin(w, r, login, err)
		if t, ok := errors.AsType[*throttled](err); ok {
			w.Header().Set("Retry-After", seconds(t.wait))
		}
		return host.Identity{}, err
	}
	return user.Identity(), nil
}

// maxLoggedLogin is the maximum number of bytes logged of a login that may not exist.
const maxLoggedLogin = 64

// logLogin logs a failed login, without its password. Handlers quote what is not printable.
func (a *API) logLogin(w http.ResponseWriter, r *http.Request, login string, err error) {
	a.log.LogAttrs(r.Context(), slog.LevelWarn, "login failed", slog.String("request_id", w.Header().Get(requestIDHeader)),
		slog.String("login", login[:min(len(login), maxLoggedLogin)]), slog.String("remote", r.RemoteAddr), slog.Any("reason", err))
}

// maxCredentials is the maximum number of bytes of a login and its password. The throttle
// keeps logins, including those that do not exist.
const maxCredentials = 1024

func decodeBasic(encoded string) (login, password string, ok bool) {
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(decoded) > maxCredentials || !utf8.Valid(decoded) {
		return "", "", false
	}
	login, password, ok = strings.Cut(string(decoded), ":")
	return login, password, ok && !strings.Contains(login, "\x00")
}
