package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/slipway-dev/slipway/host"
)

// ReconcilePluginAccount gives a plugin a service account with role None, exactly these
// grants and a new token for this instance of the host. It creates the account if it is
// missing, enables it, and replaces its grants and the previous token of the instance,
// of which only the digest is stored. The tokens of other instances stay.
//
// It returns host.ErrInvalid if a grant or a name breaks a rule.
func (s *Store) ReconcilePluginAccount(ctx context.Context, org int64, pluginID, instance string, grants []host.Grant) (host.Token, error) {
	token := host.AccountToken{Name: instance, Created: s.clock()}
	if err := token.Check(); err != nil {
		return host.Token{}, fmt.Errorf("reconcile service account: host instance: %w", err)
	}
	secret, err := host.NewToken(host.ServiceAccountToken, s.random)
	if err != nil {
		return host.Token{}, err
	}
	return secret, s.reconcile(ctx, org, pluginID, grants, func(tx *sql.Tx, account host.ServiceAccount) error {
		const forget = "DELETE FROM tokens WHERE account_id = $1 AND name = $2"
		if _, err := tx.ExecContext(ctx, forget, account.ID, instance); err != nil {
			return err
		}
		_, err := insertToken(ctx, tx, account, token, secret)
		return err
	})
}

// SetPluginGrants is ReconcilePluginAccount without a new token.
func (s *Store) SetPluginGrants(ctx context.Context, org int64, pluginID string, grants []host.Grant) error {
	return s.reconcile(ctx, org, pluginID, grants, func(*sql.Tx, host.ServiceAccount) error { return nil })
}

// reconcile creates or repairs the account of a plugin and calls rest in the same
// transaction.
func (s *Store) reconcile(ctx context.Context, org int64, pluginID string, grants []host.Grant, rest func(*sql.Tx, host.ServiceAccount) error) error {
	err := host.CheckGrants(grants)
	if err == nil {
		err = s.transactAccess(ctx, func(tx *sql.Tx) error {
			account, err := pluginAccount(ctx, tx, org, pluginID)
			if err != nil {
				return err
			}
			if err := replaceGrants(ctx, tx, account.ID, grants); err != nil {
				return err
			}
			s.log.LogAttrs(ctx, slog.LevelInfo, "plugin service account reconciled", slog.String("plugin", pluginID),
				slog.String("login", account.Login), slog.Any("grants", grants))
			return rest(tx, account)
		})
	}
	if err != nil {
		return fmt.Errorf("reconcile service account of %s: %w", pluginID, err)
	}
	return nil
}

// pluginAccount returns the account of a plugin, which it creates or enables.
func pluginAccount(ctx context.Context, tx *sql.Tx, org int64, pluginID string) (host.ServiceAccount, error) {
	a, err := find(ctx, tx, scanAccount, selectAccount+"WHERE a.org_id = $1 AND a.plugin_id = $2", org, pluginID)
	if err == nil {
		_, err = tx.ExecContext(ctx, "UPDATE service_accounts SET role = $1, is_disabled = FALSE WHERE id = $2",
			host.RoleNone.String(), a.ID)
		return a, err
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return host.ServiceAccount{}, err
	}
	login, err := freeLogin(ctx, tx, org, host.PluginLogin(pluginID))
	if err != nil {
		return host.ServiceAccount{}, err
	}
	a = host.ServiceAccount{OrgID: org, Name: login, Login: login, PluginID: pluginID}
	a.ID, err = insertAccount(ctx, tx, a)
	return a, err
}

// RemovePluginAccount deletes the account of a plugin, if it has one.
func (s *Store) RemovePluginAccount(ctx context.Context, org int64, pluginID string) error {
	return s.transactAccess(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM service_accounts WHERE org_id = $1 AND plugin_id = $2", org, pluginID)
		if err != nil {
			return fmt.Errorf("remove service account of %s: %w", pluginID, err)
		}
		if n, _ := result.RowsAffected(); n > 0 {
			s.log.LogAttrs(ctx, slog.LevelInfo, "plugin service account removed", slog.String("plugin", pluginID))
		}
		return nil
	})
}

// replaceGrants stores exactly these grants.
func replaceGrants(ctx context.Context, tx *sql.Tx, accountID int64, grants []host.Grant) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM account_grants WHERE account_id = $1", accountID); err != nil {
		return err
	}
	for _, g := range grants {
		const insert = "INSERT INTO account_grants (account_id, action, scope) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
		if _, err := tx.ExecContext(ctx, insert, accountID, g.Action, g.Scope); err != nil {
			return err
		}
	}
	return nil
}
