package api

import (
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
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
		token, err := host.ParseToken(value)
		if err != nil {
			return host.Identity{}, err
		}
		return a.store.Authenticate(r.Context(), token)
	case strings.EqualFold(scheme, "Basic"):
		return a.login(w, r, value)
	}
	return host.Identity{}, host.Unauthorized("Unauthorized")
}

// login verifies basic credentials. After too many failures, even the correct password
// is rejected for a while: otherwise an attacker could keep guessing.
func (a *API) login(w http.ResponseWriter, r *http.Request, encoded string) (host.Identity, error) {
	wrong := host.Unauthorized("invalid username or password")
	login, password, ok := decodeBasic(encoded)
	if !ok {
		return host.Identity{}, wrong
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	attempt := login + "\x00" + address
	if err := throttled(w, a.logins.wait(attempt, a.clock())); err != nil {
		return host.Identity{}, err
	}
	// The zero User of an unknown login matches no password.
	user, err := a.store.User(r.Context(), login)
	if err != nil && !errors.Is(err, host.ErrNotFound) {
		return host.Identity{}, err
	}
	matches, err := a.passwords.Match(r.Context(), login, password, user.PasswordHash, func() error {
		return throttled(w, a.logins.begin(attempt, a.clock()))
	})
	if err != nil {
		return host.Identity{}, err
	}
	if !matches || user.IsDisabled {
		return host.Identity{}, wrong
	}
	a.logins.succeeded(attempt)
	return user.Identity(), nil
}

// throttled returns an error (host.ErrThrottled) if the caller has to wait.
func throttled(w http.ResponseWriter, wait time.Duration) error {
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(int(wait/time.Second) + 1)
	w.Header().Set("Retry-After", seconds)
	return &host.Error{Category: host.ErrThrottled, ID: "login.throttled",
		Message: "too many failed logins; try again in " + seconds + " seconds"}
}

func decodeBasic(encoded string) (login, password string, ok bool) {
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(decoded) > 1024 || !utf8.Valid(decoded) {
		return "", "", false
	}
	login, password, ok = strings.Cut(string(decoded), ":")
	return login, password, ok && !strings.Contains(login, "\x00")
}
