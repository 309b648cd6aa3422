package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// AccountTokens returns the tokens of a service account, expired ones included,
// in the order they were made.
func (s *Store) AccountTokens(ctx context.Context, org, accountID int64) ([]host.AccountToken, error) {
	if _, err := account(ctx, s.read, org, accountID); err != nil {
		return nil, err
	}
	return list(ctx, s.read, func(row scanner) (t host.AccountToken, err error) {
		var created, expires sql.NullInt64
		err = row.Scan(&t.ID, &t.Name, &created, &expires)
		t.Created, t.Expires = timeOf(created), timeOf(expires)
		return t, err
	}, "SELECT id, name, created_at, expires_at FROM tokens WHERE account_id = $1 ORDER BY id", accountID)
}

// CreateToken makes a token for a service account. life 0 means that it does not
// expire. The secret is not stored: this is the only time it is seen.
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
	return t, secret, err
}

func insertToken(ctx context.Context, tx *sql.Tx, a host.ServiceAccount, t host.AccountToken, secret host.Token) (int64, error) {
	id, err := find(ctx, tx, scanID, `INSERT INTO tokens (org_id, account_id, name, digest, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
		a.OrgID, a.ID, t.Name, secret.Digest(), t.Created.UnixMilli(), columnOf(t.Expires))
	return id, orDuplicate(err, host.Duplicate("name", "a token with this name exists already"))
}

// columnOf is the inverse of timeOf.
func columnOf(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// DeleteToken removes a token of a service account.
func (s *Store) DeleteToken(ctx context.Context, by host.Identity, accountID, id int64) error {
	return s.transactAccess(ctx, func(tx *sql.Tx) error {
		if _, err := editableAccount(ctx, tx, by, accountID); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "DELETE FROM tokens WHERE account_id = $1 AND id = $2", accountID, id)
		return affected(result, err, "Token")
	})
}

// APIKeys returns the keys sorted by name, expired ones only if asked for.
func (s *Store) APIKeys(ctx context.Context, org int64, withExpired bool) ([]host.APIKey, error) {
	return list(ctx, s.read, scanAPIKey, `SELECT id, name, role, expires_at FROM tokens
		WHERE org_id = $1 AND account_id IS NULL AND ($2 OR expires_at IS NULL OR expires_at > $3)
		ORDER BY name`, org, withExpired, s.now())
}

func scanAPIKey(row scanner) (k host.APIKey, err error) {
	var role string
	var expires sql.NullInt64
	err = row.Scan(&k.ID, &k.Name, &role, &expires)
	k.Role, k.Expires = roleOf(role), timeOf(expires)
	return k, err
}

// CreateAPIKey makes a key that lives for life, which the caller took from
// host.ParseTTL or host.KeyLifetime. The secret is not stored: this is the only
// time it is seen.
func (s *Store) CreateAPIKey(ctx context.Context, by host.Identity, k host.APIKey, life time.Duration) (host.APIKey, host.Token, error) {
	if err := k.Check(); err != nil {
		return host.APIKey{}, host.Token{}, err
	}
	if err := by.MayGive(k.Role); err != nil {
		return host.APIKey{}, host.Token{}, err
	}
	secret, err := host.NewToken(host.APIKeyToken, s.random)
	if err != nil {
		return host.APIKey{}, host.Token{}, err
	}
	created := s.clock()
	k.Expires = created.Add(life)
	err = s.transactAccess(ctx, func(tx *sql.Tx) (err error) {
		k.ID, err = find(ctx, tx, scanID, `INSERT INTO tokens (org_id, role, name, digest, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
			by.OrgID, k.Role.String(), k.Name, secret.Digest(), created.UnixMilli(), columnOf(k.Expires))
		return orDuplicate(err, host.Duplicate("name", "an API key with this name exists already"))
	})
	return k, secret, err
}

// DeleteAPIKey removes a key whose role is not above that of the one who asks.
func (s *Store) DeleteAPIKey(ctx context.Context, by host.Identity, id int64) error {
	return s.transactAccess(ctx, func(tx *sql.Tx) error {
		k, err := find(ctx, tx, scanAPIKey, `DELETE FROM tokens
			WHERE org_id = $1 AND account_id IS NULL AND id = $2 RETURNING id, name, role, expires_at`, by.OrgID, id)
		if err != nil {
			return orNotFound(err, "API key")
		}
		return by.MayGive(k.Role)
	})
}
