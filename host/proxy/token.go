package proxy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
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

// keptToken is a cached token or the reason why there is none. The request that has the turn
// reads and changes it.
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

// token returns a cached token, or fetches one while other requests for it wait. A fetch ends with the
// request that it is for.
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
