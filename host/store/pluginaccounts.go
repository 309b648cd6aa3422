package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/slipway-dev/slipway/host"
)

// ReconcilePluginAccount gives a plugin a service account with role None, exactly these
// grants and a new token for this instance of the host, which expires after
// host.LeaseLifetime unless RenewToken extends it. It creates the account if it is
// missing, and replaces its grants and the previous token of the instance, of which only
// the digest is stored. The tokens of other instances stay. An account that an
// administrator disabled remains disabled, and its tokens are refused.
//
// It returns host.ErrInvalid if a grant or a name breaks a rule.
func (s *Store) ReconcilePluginAccount(ctx context.Context, org int64, pluginID, instance string, grants []host.Grant) (secret host.Token, err error) {
	err = s.reconcile(ctx, org, pluginID, grants, func(tx *sql.Tx, account host.ServiceAccount) error {
		secret, err = s.lease(ctx, tx, account, instance)
		return err
	})
	return secret, err
}

// SetPluginGrants is ReconcilePluginAccount without a new token.
func (s *Store) SetPluginGrants(ctx context.Context, org int64, pluginID string, grants []host.Grant) error {
	return s.reconcile(ctx, org, pluginID, grants, func(*sql.Tx, host.ServiceAccount) error { return nil })
}

// reconcile creates or repairs the account of a plugin, and calls rest in the same transaction.
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

// pluginAccount returns the account of a plugin, which it creates if it is missing.
func pluginAccount(ctx context.Context, tx *sql.Tx, org int64, pluginID string) (host.ServiceAccount, error) {
	a, err := find(ctx, tx, scanAccount, selectAccount+"WHERE a.org_id = $1 AND a.plugin_id = $2", org, pluginID)
	if err == nil {
		err = exec(ctx, tx, "UPDATE service_accounts SET role = $1 WHERE id = $2",
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

// ReleasePluginTokens deletes all plugin tokens of an instance of the host, whose processes have ended.
func (s *Store) ReleasePluginTokens(ctx context.Context, org int64, instance string) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, `DELETE FROM tokens WHERE name = $1 AND account_id IN
			(SELECT id FROM service_accounts WHERE org_id = $2 AND plugin_id IS NOT NULL)`, instance, org)
	})
	if err != nil {
		return fmt.Errorf("revoke the tokens of plugins: %w", err)
	}
	return nil
}

// PrunePluginAccounts revokes the tokens that an instance of the host issued to plugins
// other than those to keep. It deletes the accounts that have no valid token left on any
// instance, with the API keys that the plugin created; of a disabled account it keeps the
// record, so that the plugin stays disabled if it returns. Accounts of plugins to keep are
// not touched.
func (s *Store) PrunePluginAccounts(ctx context.Context, org int64, instance string, keep []string) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		accounts, err := list(ctx, tx, scanAccount, selectAccount+"WHERE a.org_id = $1 AND a.plugin_id IS NOT NULL ORDER BY a.id", org)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			if slices.Contains(keep, a.PluginID) {
				continue
			}
			if err := s.prune(ctx, tx, a, instance); err != nil {
				return fmt.Errorf("account of %s: %w", a.PluginID, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("remove service accounts of plugins: %w", err)
	}
	return nil
}

// prune revokes the token of an instance and deletes the account if no other one is valid.
func (s *Store) prune(ctx context.Context, tx *sql.Tx, a host.ServiceAccount, instance string) error {
	const revoke = "DELETE FROM tokens WHERE account_id = $1 AND (name = $2 OR expires_at <= $3)"
	result, err := tx.ExecContext(ctx, revoke, a.ID, instance, s.now())
	if err != nil {
		return err
	}
	if n, _ := result.RowsAffected(); n < a.Tokens {
		return nil // another host runs the plugin
	}
	if !a.IsDisabled {
		err = exec(ctx, tx, "DELETE FROM service_accounts WHERE id = $1", a.ID)
	} else if err = replaceGrants(ctx, tx, a.ID, nil); err == nil {
		err = exec(ctx, tx, "DELETE FROM tokens WHERE granted_by = $1", a.ID)
	}
	if err == nil && (!a.IsDisabled || a.Tokens > 0) {
		s.log.LogAttrs(ctx, slog.LevelInfo, "plugin service account revoked", slog.String("plugin", a.PluginID), slog.Bool("disabled", a.IsDisabled))
	}
	return err
}

func replaceGrants(ctx context.Context, tx *sql.Tx, accountID int64, grants []host.Grant) error {
	if err := exec(ctx, tx, "DELETE FROM account_grants WHERE account_id = $1", accountID); err != nil {
		return err
	}
	for _, g := range grants {
		const insert = "INSERT INTO account_grants (account_id, action, scope) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
		if err := exec(ctx, tx, insert, accountID, g.Action, g.Scope); err != nil {
			return err
		}
	}
	return nil
}
