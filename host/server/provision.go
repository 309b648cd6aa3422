package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

// Provision prepares the mounted plugins for use, as an administrator would: it adds a
// data source for each data source plugin that has none. It returns a token of the service
// account with the given name, which has the role of an editor. The token expires a day
// after this host ends, and the token that an earlier call returned on this host becomes
// invalid.
func (s *Server) Provision(ctx context.Context, name string) (host.Token, error) {
	by := administrator(host.AdminLogin)
	for _, p := range s.loader.Plugins() {
		if err := s.provisionPlugin(ctx, by, p.Bundle().Metadata); err != nil {
			return host.Token{}, fmt.Errorf("provision %s: %w", p.ID(), err)
		}
	}
	account, err := s.serviceAccount(ctx, by, name)
	if err != nil {
		return host.Token{}, fmt.Errorf("provision service account %q: %w", name, err)
	}
	token, err := s.accounts.lease(ctx, by, account)
	if err != nil {
		return host.Token{}, fmt.Errorf("issue token of service account %q: %w", name, err)
	}
	return token, nil
}

// provisionPlugin adds a data source for a data source plugin that has none. Apps are
// enabled by default.
func (s *Server) provisionPlugin(ctx context.Context, by host.Identity, m *bundle.Metadata) error {
	if m.Type != bundle.TypeDatasource {
		return nil
	}
	_, err := s.store.DataSourceOfType(ctx, by.OrgID, m.ID)
	if !errors.Is(err, host.ErrNotFound) {
		return err
	}
	d := host.DataSource{OrgID: by.OrgID, Name: m.ID, Type: m.ID, JSON: json.RawMessage("{}")}
	if host.IsUID(m.ID) {
		d.UID = m.ID
	}
	_, err = s.store.CreateDataSource(ctx, by, d)
	return err
}

// serviceAccount returns the service account with a name, which it creates if needed.
func (s *Server) serviceAccount(ctx context.Context, by host.Identity, name string) (host.ServiceAccount, error) {
	found, _, err := s.store.ServiceAccounts(ctx, by.OrgID, store.AccountFilter{Text: name})
	if err != nil {
		return host.ServiceAccount{}, err
	}
	for _, a := range found {
		if a.Name == name && a.PluginID == "" {
			return a, nil
		}
	}
	return s.store.CreateServiceAccount(ctx, by, host.ServiceAccount{Name: name, Role: host.RoleEditor})
}
