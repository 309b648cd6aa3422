package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// AccountTokens returns the tokens of a service account, including expired ones, in the
// order of their creation.
func (s *Store) AccountTokens(ctx context.Context, org, accountID int64) ([]host.AccountToken, error) {
	if _, err := account(ctx, s.read, org, accountID); err != nil {
		return nil, err
	}
	return list(ctx, s.read, func(row scanner) (t host.AccountToken, err error) {
		var created, expires, used sql.NullInt64
		err = row.Scan(&t.ID, &t.Name, &created, &expires, &used)
		t.Created, t.Expires, t.LastUsed = timeOf(created), timeOf(expires), s.usage.latest(t.ID, timeOf(used))
		return t, err
	}, "SELECT id, name, created_at, expires_at, last_used_at FROM tokens WHERE account_id = $1 ORDER BY id", accountID)
}

// CreateToken creates a token for a service account. If life is 0, it does not expire. The
// returned token is not stored.
func (s *Store) CreateToken(ctx context.Context, by host.Identity, accountID int64, name string, life time.Duration) (host.AccountToken, host.Token, error) {
	t := host.AccountToken{Name: name, Created: s.clock()}
	if life > 0 {
		t.Expires = t.Created.Add(life)
	}
	if err := t.Check(); err != nil {
		return host.AccountToken{}, host.Token{}, err
	}
	secret, err := host.NewToken(host.ServiceAccountToken, s.random)
	if err != nil {
		return host.AccountToken{}, host.Token{}, err
	}
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		a, err := editableAccount(ctx, tx, by, accountID)
		if err != nil {
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

// columnOf is the inverse of timeOf.
func columnOf(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// DeleteToken deletes a token of a service account.
func (s *Store) DeleteToken(ctx context.Context, by host.Identity, accountID, id int64) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		a, err := account(ctx, tx, by.OrgID, accountID)
		if err == nil && a.PluginID == "" { // the token of a plugin may be revoked; its next start gets a new one
			err = a.EditableBy(by)
		}
		if err != nil {
			return err
		}
		_, err = find(ctx, tx, scanOne[int64], "DELETE FROM tokens WHERE account_id = $1 AND id = $2 RETURNING id", accountID, id)
		return orNotFound(err, "Token")
	})
	s.audit(ctx, err, by, "token deleted", slog.Int64("account", accountID), slog.Int64("token", id))
	return err
}
