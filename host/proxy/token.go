package proxy

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
)

const (
	maxTokens    = 1000             // cached at the same time
	fetchTime    = 20 * time.Second // limit for one fetch
	retryRefresh = 10 * time.Second // delay after a refresh that failed
	retryFetch   = 2 * time.Second  // delay after a fetch that failed: a wrong secret is not tried at every request
)

// tokens caches the bearer tokens of routes. Each key has at most one fetch at a time,
// however many requests wait for it. No lock is held during a fetch, so that a token
// service that stalls delays no other requests.
type tokens struct {
	transport http.RoundTripper
	clock     func() time.Time
	log       *slog.Logger
	life      context.Context // of the fetches, which outlive the requests that started them
	end       context.CancelFunc
	running   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	kept   map[tokenKey]*keptToken
}

// tokenKey is a digest of everything that a token depends on.
type tokenKey [sha256.Size]byte

// keptToken is a cached token or the reason why there is none. tokens.mu guards it.
type keptToken struct {
	text     string
	err      error     // of the last fetch
	renew    time.Time // when to fetch the next token
	end      time.Time // when this token can no longer be used
	used     time.Time // when this token was last requested
	underway *fetch    // nil if no fetch is running
}

// fetch is one request to a token service. The other fields are set before done is
// closed.
type fetch struct {
	done chan struct{}
	text string
	err  error
}

func newTokens(transport http.RoundTripper, clock func() time.Time, log *slog.Logger) *tokens {
	t := &tokens{transport: transport, clock: clock, log: log, kept: map[tokenKey]*keptToken{}}
	t.life, t.end = context.WithCancel(context.Background())
	return t
}

// close cancels all fetches and waits for them.
func (t *tokens) close() {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.end()
	t.running.Wait()
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

func (t *tokens) token(ctx context.Context, key tokenKey, g *grant) (string, error) {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return "", unavailable("the host is stopping")
	}
	now := t.clock()
	k := t.kept[key]
	if k == nil {
		t.makeRoom()
		k = &keptToken{}
		t.kept[key] = k
	}
	k.used = now
	isGood := now.Before(k.end)
	if !isGood && k.err != nil && k.underway == nil && now.Before(k.renew) {
		defer t.mu.Unlock()
		return "", k.err
	}
	if k.underway == nil && (!isGood || !now.Before(k.renew)) {
		t.start(k, g)
	}
	text, f := k.text, k.underway
	t.mu.Unlock()
	if isGood { // also while the next token is being fetched
		return text, nil
	}
	select {
	case <-f.done:
		return f.text, f.err
	case <-ctx.Done():
		return "", broken(tokenService, context.Cause(ctx))
	}
}

// start fetches a token for k. The caller holds the lock.
func (t *tokens) start(k *keptToken, g *grant) {
	f := &fetch{done: make(chan struct{})}
	k.underway = f
	t.running.Go(func() {
		ctx, cancel := context.WithTimeout(t.life, fetchTime)
		defer cancel()
		text, life, err := t.ask(ctx, g)
		if err != nil && t.life.Err() != nil {
			err = unavailable("the host is stopping")
		}
		t.mu.Lock()
		now := t.clock()
		k.err = err
		switch {
		case err == nil:
			k.text, k.renew, k.end = text, now.Add(life*3/4), now.Add(life-min(life/10, 30*time.Second))
		case now.Before(k.end): // a refresh, which no request waits for
			k.renew = now.Add(retryRefresh)
			t.log.Warn("could not renew the token of a plugin route", "service", hostOf(g.to), "error", err)
		default:
			k.renew = now.Add(retryFetch)
		}
		k.underway = nil
		t.mu.Unlock()
		f.text, f.err = text, err
		close(f.done)
	})
}

// makeRoom drops the least recently used token. The caller holds the lock.
func (t *tokens) makeRoom() {
	if len(t.kept) < maxTokens {
		return
	}
	var oldest tokenKey
	var since time.Time
	for key, k := range t.kept {
		if since.IsZero() || k.used.Before(since) {
			oldest, since = key, k.used
		}
	}
	delete(t.kept, oldest)
}
