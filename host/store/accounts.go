package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"strings"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const serviceAccount = "Service account"

const selectAccount = `SELECT a.id, a.org_id, a.name, a.login, a.role, a.is_disabled, COALESCE(a.plugin_id, ''),
		(SELECT COUNT(*) FROM tokens t WHERE t.account_id = a.id)
	FROM service_accounts a `

func scanAccount(row scanner) (a host.ServiceAccount, err error) {
	err = row.Scan(&a.ID, &a.OrgID, &a.Name, &a.Login, roleColumn{&a.Role}, &a.IsDisabled, &a.PluginID, &a.Tokens)
	return a, err
}

// AccountFilter selects service accounts. The zero value selects all of them.
type AccountFilter struct {
	Text         string // part of the name or login, ignoring case
	OnlyDisabled bool
	Page         Page
}

// ServiceAccounts returns a page of accounts sorted by name, without grants, and the number of all.
func (s *Store) ServiceAccounts(ctx context.Context, org int64, f AccountFilter) ([]host.ServiceAccount, int64, error) {
	const where = `WHERE a.org_id = $1 AND (NOT $2 OR a.is_disabled)
		AND ($3 = '' OR a.name_folded LIKE $3 ESCAPE '!' OR a.login LIKE $4 ESCAPE '!') `
	if len(f.Text) > 4*host.MaxNameLength {
		return []host.ServiceAccount{}, 0, nil
	}
	limit, offset := f.Page.bounds()
	args := []any{org, f.OnlyDisabled, containing(host.Fold(f.Text)), containing(strings.ToLower(f.Text))}
	total, err := find(ctx, s.read, scanOne[int64], "SELECT COUNT(*) FROM service_accounts a "+where, args...)
	if err != nil {
		return nil, 0, err
	}
	accounts, err := list(ctx, s.read, scanAccount,
		selectAccount+where+"ORDER BY a.name, a.id LIMIT CAST($5 AS BIGINT) OFFSET $6", append(args, limit, offset)...)
	return accounts, total, err
}

// ServiceAccount returns an account with its grants.
func (s *Store) ServiceAccount(ctx context.Context, org, id int64) (host.ServiceAccount, error) {
	return account(ctx, s.read, org, id)
}

func account(ctx context.Context, q querier, org, id int64) (host.ServiceAccount, error) {
	a, err := get(ctx, q, serviceAccount, scanAccount, selectAccount+"WHERE a.org_id = $1 AND a.id = $2", org, id)
	if err != nil {
		return host.ServiceAccount{}, err
	}
	a.Grants, err = accountGrants(ctx, q, id)
	return a, err
}

func accountGrants(ctx context.Context, q querier, id int64) ([]host.Grant, error) {
	return list(ctx, q, func(row scanner) (g host.Grant, err error) {
		err = row.Scan(&g.Action, &g.Scope)
		return g, err
	}, "SELECT action, scope FROM account_grants WHERE account_id = $1 ORDER BY action, scope", id)
}

// CreateServiceAccount stores an account in the organization of the caller and returns it
// with its id and login. Names that differ only in case are the same name.
func (s *Store) CreateServiceAccount(ctx context.Context, by host.Identity, a host.ServiceAccount) (host.ServiceAccount, error) {
	if err := a.Check(); err != nil {
		return host.ServiceAccount{}, err
	}
	if err := by.MayGive(a.Role); err != nil {
		return host.ServiceAccount{}, err
	}
	a.OrgID, a.PluginID, a.Grants, a.Tokens = by.OrgID, "", nil, 0
	err := s.transactAccess(ctx, func(tx *sql.Tx) (err error) {
		if a.Login, err = freeLogin(ctx, tx, by.OrgID, host.AccountLogin(a.Name)); err != nil {
			return err
		}
		if a.ID, err = insertAccount(ctx, tx, a); err != nil {
			return err
		}
		return checkQuota(ctx, tx, by.OrgID, a.ID, "service_accounts", "service accounts", gate.MaxServiceAccounts)
	})
	s.audit(ctx, err, by, "service account created", slog.Int64("account", a.ID), slog.String("name", a.Name), slog.Any("role", a.Role))
	return a, err
}

func insertAccount(ctx context.Context, tx *sql.Tx, a host.ServiceAccount) (int64, error) {
	id, err := find(ctx, tx, scanOne[int64], `INSERT INTO service_accounts
			(org_id, name, name_folded, login, role, is_disabled, plugin_id)
		VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, '')) RETURNING id`,
		a.OrgID, a.Name, host.Fold(a.Name), a.Login, a.Role.String(), a.IsDisabled, a.PluginID)
	return id, orDuplicate(err, duplicateAccount())
}

func duplicateAccount() error {
	return host.Duplicate("name", "a service account with this name already exists")
}

// freeLogin returns the login or, if it is taken, the first with a number from 2 that is not.
func freeLogin(ctx context.Context, tx *sql.Tx, org int64, login string) (string, error) {
	candidate := login
	for n := 2; ; n++ {
		taken, err := list(ctx, tx, scanOne[int64],
			"SELECT id FROM service_accounts WHERE org_id = $1 AND login = $2", org, candidate)
		if err != nil || len(taken) == 0 {
			return candidate, err
		}
		candidate = fmt.Sprintf("%s-%d", login, n)
	}
}

// AccountChange lists the changes of UpdateServiceAccount. What is nil does not change, nor does the login.
type AccountChange struct {
	Name       *string
	Role       *host.Role
	IsDisabled *bool
}

// Apply applies the change to an account.
func (c AccountChange) Apply(a *host.ServiceAccount) {
	a.Name, a.Role, a.IsDisabled = *cmp.Or(c.Name, &a.Name), *cmp.Or(c.Role, &a.Role), *cmp.Or(c.IsDisabled, &a.IsDisabled)
}

// isSwitch reports whether the change only disables or enables the account.
func (c AccountChange) isSwitch() bool { return c.IsDisabled != nil && c.Name == nil && c.Role == nil }

// UpdateServiceAccount changes an account, with immediate effect on its tokens. The account
// of a plugin can only be disabled and enabled, by an administrator.
func (s *Store) UpdateServiceAccount(ctx context.Context, by host.Identity, id int64, change AccountChange) (a host.ServiceAccount, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		if change.isSwitch() {
			if a, err = accountFor(ctx, tx, by, id, host.ServiceAccount.RevocableBy); err != nil {
				return err
			}
			a.IsDisabled = *change.IsDisabled
			return exec(ctx, tx, "UPDATE service_accounts SET is_disabled = $1 WHERE id = $2", a.IsDisabled, id)
		}
		if a, err = accountFor(ctx, tx, by, id, host.ServiceAccount.EditableBy); err != nil {
			return err
		}
		change.Apply(&a)
		if err := a.Check(); err != nil {
			return err
		}
		if err := by.MayGive(a.Role); err != nil {
			return err
		}
		return orDuplicate(exec(ctx, tx, `UPDATE service_accounts
			SET name = $1, name_folded = $2, role = $3, is_disabled = $4 WHERE id = $5`,
			a.Name, host.Fold(a.Name), a.Role.String(), a.IsDisabled, id), duplicateAccount())
	})
	s.audit(ctx, err, by, "service account changed", slog.Int64("account", id), slog.String("name", a.Name),
		slog.Any("role", a.Role), slog.Bool("disabled", a.IsDisabled))
	return a, err
}

// DeleteServiceAccount deletes an account and its tokens. A plugin whose account is deleted
// gets a new one when its process starts again: to keep a plugin out, disable its account.
func (s *Store) DeleteServiceAccount(ctx context.Context, by host.Identity, id int64) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		if _, err := accountFor(ctx, tx, by, id, host.ServiceAccount.RevocableBy); err != nil {
			return err
		}
		return exec(ctx, tx, "DELETE FROM service_accounts WHERE id = $1", id)
	})
	s.audit(ctx, err, by, "service account deleted", slog.Int64("account", id))
	return err
}

// accountFor returns an account if the caller may change or revoke it, as check decides.
func accountFor(ctx context.Context, tx *sql.Tx, by host.Identity, id int64,
	check func(host.ServiceAccount, host.Identity) error) (host.ServiceAccount, error) {
	a, err := account(ctx, tx, by.OrgID, id)
	if err == nil {
		err = check(a, by)
	}
	return a, err
}
