package server

import (
	"context"
	"sync"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
)

// accounts manages the service accounts of the plugins. A plugin has one token for the
// life of this host: a process that replaces another gets the same token, so that calls
// in the old process keep their access.
type accounts struct {
	store    *store.Store
	instance string // names the tokens of this host

	mu     sync.Mutex
	tokens map[string]host.Token // by plugin id
}

func newAccounts(s *store.Store, instance string) *accounts {
	return &accounts{store: s, instance: instance, tokens: map[string]host.Token{}}
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
	if token, ok := a.tokens[id]; ok {
		if _, err := a.store.Authenticate(ctx, token); err == nil { // an administrator may have revoked it
			return token.Secret(), a.store.SetPluginGrants(ctx, store.MainOrg, id, grants)
		}
	}
	token, err := a.store.ReconcilePluginAccount(ctx, store.MainOrg, id, a.instance, grants)
	if err != nil {
		return "", err
	}
	a.tokens[id] = token
	return token.Secret(), nil
}

// removeUnused removes the accounts of plugins that no longer request one, unless a
// process that has the token is still running.
func (a *accounts) removeUnused(ctx context.Context, plugins []*loader.Plugin) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range plugins {
		if p.Bundle().Metadata.IAM != nil || p.Status().Token.Injected {
			continue
		}
		if err := a.store.RemovePluginAccount(ctx, store.MainOrg, p.ID()); err != nil {
			return err
		}
		delete(a.tokens, p.ID())
	}
	return nil
}
