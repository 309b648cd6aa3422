package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

// accounts manages the service accounts of the plugins and the tokens that this host
// issues itself. A plugin has one token for the life of this host: a process that replaces
// another gets the same token, so that calls in the old process keep their access. The
// tokens are leases: they expire a day after this host stopped renewing them.
type accounts struct {
	store    *store.Store
	log      *slog.Logger
	clock    func() time.Time
	instance string // names the tokens of this host

	mu      sync.Mutex
	tokens  map[string]host.Token // by plugin id; that of Provision has none
	renewed time.Time             // when all tokens were renewed
}

func newAccounts(s *store.Store, log *slog.Logger, clock func() time.Time, instance string) *accounts {
	return &accounts{store: s, log: log, clock: clock, instance: instance, tokens: map[string]host.Token{}, renewed: clock()}
}

// token is a loader.TokenFunc.
func (a *accounts) token(ctx context.Context, p bundle.Plugin) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := p.Metadata.ID
	var grants []host.Grant
	for _, permission := range p.Metadata.IAM.Permissions {
		grants = append(grants, host.Grant{Action: permission.Action, Scope: permission.Scope})
	}
	token, ok := a.tokens[id]
	if ok { // an administrator may have revoked it
		var err error
		if ok, err = a.store.RenewToken(ctx, token); err != nil {
			return "", err
		}
	}
	var err error
	if ok {
		err = a.store.SetPluginGrants(ctx, store.MainOrg, id, grants)
	} else {
		token, err = a.store.ReconcilePluginAccount(ctx, store.MainOrg, id, a.instance, grants)
	}
	if errors.Is(err, host.ErrInvalid) {
		return "", loader.Permanent(err)
	}
	if err != nil {
		return "", err
	}
	a.tokens[id] = token
	return token.Secret(), nil
}

// lease issues the token of Provision instead of an earlier one, and renews it while this host runs.
func (a *accounts) lease(ctx context.Context, by host.Identity, account host.ServiceAccount) (host.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	token, err := a.store.LeaseToken(ctx, by, account.ID, a.instance)
	if err == nil {
		a.tokens[""] = token
	}
	return token, err
}

// release revokes the tokens of plugins that this host issued, now or before its last end.
func (a *accounts) release(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.store.ReleasePluginTokens(ctx, store.MainOrg, a.instance)
}

// prune revokes the tokens of plugins that are not mounted or no longer entitled to one,
// even if a process that has the token is still running.
func (a *accounts) prune(ctx context.Context, l *loader.Loader) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var keep []string
	for _, p := range l.Plugins() { // under the lock: a plugin is mounted before it gets a token
		if p.MayHaveToken() {
			keep = append(keep, p.ID())
		}
	}
	if err := a.store.PrunePluginAccounts(ctx, store.MainOrg, a.instance, keep); err != nil {
		return err
	}
	maps.DeleteFunc(a.tokens, func(id string, _ host.Token) bool { return id != "" && !slices.Contains(keep, id) })
	return nil
}

// renewalCheck is how often tokens are looked at: the timer does not advance while a machine sleeps.
const renewalCheck = time.Minute

// renew renews the tokens if they are due. Then it revokes those of plugins whose last
// host ended without revoking them, and deletes what expired long ago.
func (a *accounts) renew(ctx context.Context, l *loader.Loader) error {
	if isDue, err := a.renewTokens(ctx); err != nil || !isDue {
		return err
	}
	if err := a.prune(ctx, l); err != nil {
		return err
	}
	_, err := a.store.PurgeExpired(ctx)
	return err
}

func (a *accounts) renewTokens(ctx context.Context) (isDue bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.clock().Round(0) // the monotonic clock does not advance while a machine sleeps
	if now.Sub(a.renewed.Round(0)) < host.LeaseRenewal {
		return false, nil
	}
	for id, token := range a.tokens {
		exists, err := a.store.RenewToken(ctx, token)
		if err != nil {
			return true, err
		}
		if !exists {
			delete(a.tokens, id)
			a.log.Info("the token of the plugin was revoked; the plugin gets a new one when its process starts again", "plugin", id)
		}
	}
	a.renewed = now
	return true, nil
}

// keepTokens renews the tokens of this host until it is closed.
func (s *Server) keepTokens(ctx context.Context) {
	s.inBackground(ctx, new(sync.WaitGroup), func(ctx context.Context) {
		every(ctx, renewalCheck, func() {
			if err := s.accounts.renew(ctx, s.loader); err != nil && ctx.Err() == nil {
				s.log.Warn("tokens not renewed", "error", err)
			}
		})
	})
}

// releaseTokens revokes the tokens of the plugins, which have ended. Without a database, they expire.
func (s *Server) releaseTokens() error {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.accounts.release(ctx); err != nil {
		s.log.Warn("tokens of plugins not revoked; they expire within a day", "error", err)
	}
	return nil
}
