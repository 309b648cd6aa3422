package proxy

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
)

const (
	maxTokens    = 1000             // kept at a time
	maxToken     = 1 << 20          // bytes of an answer with a token
	fetchTime    = 20 * time.Second // for one fetch
	unknownLife  = time.Minute      // of a token that does not say when it ends
	longestLife  = 24 * time.Hour
	retryRefresh = 10 * time.Second // after a refresh that went wrong
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
		switch {
		case err == nil:
			k.text, k.renew, k.end = text, now.Add(life*3/4), now.Add(life-min(life/10, 30*time.Second))
		case now.Before(k.end): // nobody waits for this one
			k.renew = now.Add(retryRefresh)
			t.log.Warn("the token of a plugin's route is not renewed", "service", hostOf(g.to), "error", err)
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

// ask posts the form and reads the token, and how long it lives. Its errors hold
// nothing of what was sent, nor of the answer but the code that the standard has.
func (t *tokens) ask(ctx context.Context, g *grant) (string, time.Duration, error) {
	form := g.form
	if g.jwt != nil {
		signed, err := g.jwt.sign(t.clock())
		if err != nil {
			return "", 0, unavailable("jwtTokenAuth of plugin.json: %v", err)
		}
		form = maps.Clone(form)
		form.Set("assertion", signed)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.to, strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, unavailable("the address of the token service is none")
	}
	req.Header = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Accept": {"application/json"}, "User-Agent": nil}
	res, err := t.transport.RoundTrip(req)
	if err != nil {
		return "", 0, broken("the token service of the plugin", err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxToken+1))
	if err != nil {
		return "", 0, broken("the token service of the plugin", err)
	}
	return readToken(res.StatusCode, raw)
}

func readToken(status int, raw []byte) (string, time.Duration, error) {
	var answer struct {
		Token string      `json:"access_token"`
		Life  json.Number `json:"expires_in"` // seconds; some send a text
		Error string      `json:"error"`
	}
	refuse := func(why string) (string, time.Duration, error) {
		return "", 0, upstream(host.ErrUpstream, "the token service of the plugin gave no token", errors.New(why))
	}
	err := json.Unmarshal(raw, &answer)
	switch {
	case status < 200 || status > 299:
		if len(answer.Error) > 60 || onlyChars(answer.Error, "_-", "no code") != nil {
			answer.Error = ""
		}
		return refuse(strings.TrimSpace(fmt.Sprintf("status %d %s", status, answer.Error)))
	case len(raw) > maxToken:
		return refuse("the answer is too large")
	case err != nil:
		return refuse("the answer is not the JSON of a token")
	case answer.Token == "" || !isHeaderValue(answer.Token) || strings.ContainsAny(answer.Token, " \t"):
		return refuse("the answer has no access_token that a header could carry")
	}
	life := unknownLife
	if seconds, err := answer.Life.Float64(); err == nil {
		life = time.Duration(max(0, min(seconds, longestLife.Seconds()))) * time.Second
	}
	return answer.Token, life, nil
}

// hostOf names a service in the log without what its address may hold.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
