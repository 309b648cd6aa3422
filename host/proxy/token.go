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
	maxTokens    = 1000             // kept at a time
	fetchTime    = 20 * time.Second // for one fetch
	retryRefresh = 10 * time.Second // after a refresh that went wrong
	retryFetch   = 2 * time.Second  // after a fetch that did, or a wrong secret would be tried at every request
)

// tokens keeps the bearer tokens of routes. Per key there is one fetch at a time,
// however many wait for it, and no lock is held meanwhile, so that a provider that
// stalls holds up nobody else's requests.
type tokens struct {
	transport http.RoundTripper
	clock     func() time.Time
	log       *slog.Logger
	life      context.Context // of the fetches, which outlive the requests that caused them
	end       context.CancelFunc
	running   sync.WaitGroup

	mu     sync.Mutex
	isOver bool
	kept   map[tokenKey]*keptToken
}

// tokenKey is a digest of all that a token depends on.
type tokenKey [sha256.Size]byte

// keptToken is a token, or the place for one. tokens.mu guards it.
type keptToken struct {
	text     string
	err      error     // of the last fetch, if there is no token
	renew    time.Time // from then on a new one is fetched
	end      time.Time // from then on this one is of no use
	used     time.Time
	underway *fetch // nil if none
}

// fetch is one question to a provider; the fields are set when done is closed.
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

// close ends all fetches and waits for them.
func (t *tokens) close() {
	t.mu.Lock()
	t.isOver = true
	t.mu.Unlock()
	t.end()
	t.running.Wait()
}

// of returns the token that a route wants, "" if it wants none.
func (t *tokens) of(ctx context.Context, s settings, route *bundle.Route, to Target) (string, error) {
	g, err := s.grant(route)
	if g == nil || err != nil {
		return "", err
	}
	return t.token(ctx, g.key(to, route), g)
}

// key digests the owner of a grant and all that is sent for it.
func (g *grant) key(to Target, route *bundle.Route) tokenKey {
	var secret assertion
	if g.jwt != nil {
		secret = *g.jwt
	}
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q %q", to.PluginID, to.Scope, route.Path, g.to, g.form.Encode(), secret))
}

func (t *tokens) token(ctx context.Context, key tokenKey, g *grant) (string, error) {
	t.mu.Lock()
	if t.isOver {
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
	if isGood { // even while the next one is fetched
		return text, nil
	}
	select {
	case <-f.done:
		return f.text, f.err
	case <-ctx.Done():
		return "", broken("the token service of the plugin", context.Cause(ctx))
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
		case now.Before(k.end): // nobody waits for this one
			k.renew = now.Add(retryRefresh)
			t.log.Warn("the token of a plugin's route is not renewed", "service", hostOf(g.to), "error", err)
		default:
			k.renew = now.Add(retryFetch)
		}
		k.underway = nil
		t.mu.Unlock()
		f.text, f.err = text, err
		close(f.done)
	})
}

// makeRoom drops the token that was not used for longest. The caller holds the lock.
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
