package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

const (
	maxTokens  = 1000             // cached at the same time
	fetchTime  = 20 * time.Second // limit for one fetch
	retryFetch = 2 * time.Second  // delay after a fetch that failed: a wrong secret is not tried at every request
)

// tokens caches the bearer tokens of routes. Each key has at most one fetch at a time,
// however many requests wait for it; a token service that stalls delays no other requests.
type tokens struct {
	transport http.RoundTripper
	clock     func() time.Time

	mu   sync.Mutex
	kept map[tokenKey]*keptToken
}

// tokenKey is a digest of everything that a token depends on.
type tokenKey [sha256.Size]byte

// keptToken is a cached token, or why there is none. The request that has the turn changes it.
type keptToken struct {
	turn chan struct{} // holds a value while a request has the turn
	text string
	err  error     // of the last fetch
	end  time.Time // when to fetch again
}

// of returns the token for a route, or "" if the route uses none.
func (t *tokens) of(ctx context.Context, s settings, route *bundle.Route, to Target) (string, error) {
	g, err := s.grant(route)
	if g == nil || err != nil {
		return "", err
	}
	return t.token(ctx, g.key(to, route), g)
}

// key digests the owner of a grant and everything that is sent for it.
func (g *grant) key(to Target, route *bundle.Route) tokenKey {
	var secret assertion
	if g.jwt != nil {
		secret = *g.jwt
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q", to.PluginID, to.Scope, route.Path, g.to, g.form.Encode(), secret))
}

// token returns a cached token, or fetches one, for this request, while others wait.
func (t *tokens) token(ctx context.Context, key tokenKey, g *grant) (string, error) {
	k := t.find(key)
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return "", broken(tokenService, context.Cause(ctx))
	}
	defer func() { <-k.turn }()
	if t.clock().Before(k.end) {
		return k.text, k.err
	}
	limited, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	text, life, err := t.ask(limited, g)
	if ctx.Err() != nil { // the next request tries again
		return "", err
	}
	k.text, k.err, k.end = text, err, t.clock().Add(life-min(life/10, 30*time.Second))
	if err != nil {
		k.end = t.clock().Add(retryFetch)
	}
	return text, err
}

// find returns the cached token of a key, or a new one.
func (t *tokens) find(key tokenKey) *keptToken {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.kept[key]
	if k == nil {
		if len(t.kept) >= maxTokens {
			clear(t.kept)
		}
		k = &keptToken{turn: make(chan struct{}, 1)}
		t.kept[key] = k
	}
	return k
}

const (
	maxTokenBody = 1 << 20     // bytes read of a response with a token
	unknownLife  = time.Minute // of a token whose response does not state its life
	longestLife  = 24 * time.Hour

	tokenService = "the token service of the plugin"
)

// ask posts the form and returns the token and its life. Its errors contain nothing of
// what was sent and received except the OAuth error code.
func (t *tokens) ask(ctx context.Context, g *grant) (string, time.Duration, error) {
	form := g.form
	if g.jwt != nil {
		signed, err := g.jwt.sign(t.clock())
		if err != nil {
			return "", 0, unavailable("plugin.json: jwtTokenAuth: %v", err)
		}
		form = maps.Clone(form)
		form.Set("assertion", signed)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.to, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, unavailable("invalid address of the token service")
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}, "User-Agent": nil}
	res, err := t.transport.RoundTrip(req)
	if err != nil {
		return "", 0, broken(tokenService, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxTokenBody))
	if err != nil {
		return "", 0, broken(tokenService, err)
	}
	token, life, err := readToken(res.StatusCode, raw)
	if err != nil {
		err = upstream(host.ErrUpstream, tokenService+" returned no token", err)
	}
	return token, life, err
}

func readToken(status int, raw []byte) (string, time.Duration, error) {
	var body struct {
		Token string      `json:"access_token"`
		Life  json.Number `json:"expires_in"` // in seconds; some services send a string
		Error string      `json:"error"`
	}
	err := json.Unmarshal(raw, &body)
	switch {
	case status < 200 || status > 299:
		if len(body.Error) > 60 || !host.HasOnly(body.Error, "_-") {
			body.Error = ""
		}
		return "", 0, errors.New(strings.TrimSpace(fmt.Sprintf("status %d %s", status, body.Error)))
	case err != nil:
		return "", 0, errors.New("the response is not valid JSON, or too long")
	case body.Token == "" || !isHeaderValue(body.Token) || strings.ContainsAny(body.Token, " \t"):
		return "", 0, errors.New("access_token is missing or cannot be sent in a header")
	}
	life := unknownLife
	if seconds, err := body.Life.Float64(); err == nil {
		life = time.Duration(max(0, min(seconds, longestLife.Seconds()))) * time.Second
	}
	return body.Token, life, nil
}
