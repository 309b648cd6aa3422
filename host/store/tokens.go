package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// AccountTokens returns a page of the tokens of a service account, with expired ones, oldest first.
func (s *Store) AccountTokens(ctx context.Context, org, accountID int64, page Page) ([]host.AccountToken, error) {
	if _, err := account(ctx, s.read, org, accountID); err != nil {
		return nil, err
	}
	limit, offset := page.bounds()
	return list(ctx, s.read, func(row scanner) (t host.AccountToken, err error) {
		err = row.Scan(&t.ID, &t.Name, timeColumn{&t.Created}, timeColumn{&t.Expires}, timeColumn{&t.LastUsed})
		return t, err
	}, `SELECT t.id, t.name, t.created_at, t.expires_at, t.last_used_at
		FROM (SELECT id FROM tokens WHERE account_id = $1 ORDER BY id LIMIT CAST($2 AS BIGINT) OFFSET $3) p
		JOIN tokens t ON t.id = p.id ORDER BY t.id`, accountID, limit, offset)
}

// CreateToken creates a token for a service account. If life is 0, it has no expiry of
// its own. In both cases it expires no later than the caller's own credential. The returned
// token is not stored.
func (s *Store) CreateToken(ctx context.Context, by host.Identity, accountID int64, name string, life time.Duration) (host.AccountToken, host.Token, error) {
	t := host.AccountToken{Name: name, Created: s.clock()}
	t.Expires = by.Until(t.Created, life)
	if err := t.Check(); err != nil {
		return host.AccountToken{}, host.Token{}, err
	}
	secret := host.NewToken(host.ServiceAccountToken)
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		a, err := accountFor(ctx, tx, by, accountID, host.ServiceAccount.EditableBy)
		if err != nil {
			return err
		}
		if err := s.checkTokenQuota(ctx, tx, "tokens of a service account", gate.MaxAccountTokens, "account_id = $1", a.ID); err != nil {
			return err
		}
		t.ID, err = insertToken(ctx, tx, a, t, secret)
		return err
	})
	s.audit(ctx, err, by, "token created", slog.Int64("account", accountID), slog.Int64("token", t.ID), slog.String("name", name))
	return t, secret, err
}

func insertToken(ctx context.Context, tx *sql.Tx, a host.ServiceAccount, t host.AccountToken, secret host.Token) (int64, error) {
	id, err := find(ctx, tx, scanOne[int64], `INSERT INTO tokens (org_id, account_id, name, digest, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		a.OrgID, a.ID, t.Name, secret.Digest(), t.Created.UnixMilli(), columnOf(t.Expires))
	return id, orDuplicate(err, host.Duplicate("name", "a token with this name already exists"))
}

// DeleteToken deletes a token of a service account. A plugin whose token is deleted gets a
// new one when its process starts again.
func (s *Store) DeleteToken(ctx context.Context, by host.Identity, accountID, id int64) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		if _, err := accountFor(ctx, tx, by, accountID, host.ServiceAccount.RevocableBy); err != nil {
			return err
		}
		_, err := get(ctx, tx, "Token", scanOne[int64], "DELETE FROM tokens WHERE account_id = $1 AND id = $2 RETURNING id", accountID, id)
		return err
	})
	s.audit(ctx, err, by, "token deleted", slog.Int64("account", accountID), slog.Int64("token", id))
	return err
}

// checkTokenQuota returns an error (host.ErrThrottled) if no other token may be created, even after
// those that have expired are deleted. where refers to the argument as $1.
func (s *Store) checkTokenQuota(ctx context.Context, tx *sql.Tx, what string, most int, where string, arg int64) error {
	for range 2 {
		n, err := find(ctx, tx, scanOne[int], "SELECT COUNT(*) FROM tokens WHERE "+where, arg)
		if err != nil || n < most {
			return err
		}
		if err := exec(ctx, tx, "DELETE FROM tokens WHERE "+where+" AND expires_at <= $2", arg, s.now()); err != nil {
			return err
		}
	}
	return host.TooMany(what, most)
}

// PurgeExpired deletes sessions that have ended, and API keys and tokens that expired
// host.KeepExpired ago. It returns the number of keys and tokens.
func (s *Store) PurgeExpired(ctx context.Context) (purged int64, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "DELETE FROM sessions WHERE expires_at <= $1", s.now()); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "DELETE FROM tokens WHERE expires_at < $1", s.clock().Add(-host.KeepExpired).UnixMilli())
		if err == nil {
			purged, err = result.RowsAffected()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("delete expired credentials: %w", err)
	}
	return purged, nil
}

// LeaseToken creates a token for a service account that expires after host.LeaseLifetime
// unless RenewToken extends it. It replaces the token with the same name.
func (s *Store) LeaseToken(ctx context.Context, by host.Identity, accountID int64, name string) (secret host.Token, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		a, err := accountFor(ctx, tx, by, accountID, host.ServiceAccount.EditableBy)
		if err != nil {
			return err
		}
		secret, err = s.lease(ctx, tx, a, name)
		return err
	})
	s.audit(ctx, err, by, "token leased", slog.Int64("account", accountID), slog.String("name", name))
	return secret, err
}

func (s *Store) lease(ctx context.Context, tx *sql.Tx, a host.ServiceAccount, name string) (host.Token, error) {
	now := s.clock()
	token := host.AccountToken{Name: name, Created: now, Expires: now.Add(host.LeaseLifetime)}
	if err := token.Check(); err != nil {
		return host.Token{}, err
	}
	secret := host.NewToken(host.ServiceAccountToken)
	if err := exec(ctx, tx, "DELETE FROM tokens WHERE account_id = $1 AND name = $2", a.ID, name); err != nil {
		return host.Token{}, err
	}
	_, err := insertToken(ctx, tx, a, token, secret)
	return secret, err
}

// RenewToken extends a leased token to host.LeaseLifetime from now, even if it has expired, and reports
// whether it exists.
func (s *Store) RenewToken(ctx context.Context, token host.Token) (exists bool, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		found, err := list(ctx, tx, scanOne[int64], "UPDATE tokens SET expires_at = $1 WHERE digest = $2 RETURNING id",
			s.clock().Add(host.LeaseLifetime).UnixMilli(), token.Digest())
		exists = len(found) > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("renew token: %w", err)
	}
	return exists, nil
}
