package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// APIKeys returns a page of the keys sorted by name, with or without expired ones.
func (s *Store) APIKeys(ctx context.Context, org int64, withExpired bool, page Page) ([]host.APIKey, error) {
	limit, offset := page.bounds()
	return list(ctx, s.read, scanAPIKey, selectKeys+`AND ($2 OR expires_at IS NULL OR expires_at > $3)
		ORDER BY name LIMIT CAST($4 AS BIGINT) OFFSET $5`, org, withExpired, s.now(), limit, offset)
}

func scanAPIKey(row scanner) (k host.APIKey, err error) {
	err = row.Scan(&k.ID, &k.Name, roleColumn{&k.Role}, timeColumn{&k.Expires})
	return k, err
}

// CreateAPIKey creates a key with a lifetime from host.ParseTTL or host.KeyLifetime, cut to
// the end of the caller's own credential. A key whose role is above that of the caller can
// do no more than the caller's grants. The returned token is not stored.
func (s *Store) CreateAPIKey(ctx context.Context, by host.Identity, k host.APIKey, life time.Duration) (host.APIKey, host.Token, error) {
	if err := k.Check(); err != nil {
		return host.APIKey{}, host.Token{}, err
	}
	if err := by.MayManageKey(k.Role); err != nil {
		return host.APIKey{}, host.Token{}, err
	}
	var grantedBy sql.NullInt64
	if k.Role > by.Role {
		if by.GrantsOf == 0 {
			return host.APIKey{}, host.Token{}, by.MayGive(k.Role)
		}
		grantedBy = sql.NullInt64{Int64: by.GrantsOf, Valid: true}
	}
	secret := host.NewToken(host.APIKeyToken)
	created := s.clock()
	k.Expires = by.Until(created, life)
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		migrated, err := keysMigrated(ctx, tx, by.OrgID)
		if err != nil {
			return err
		}
		if migrated {
			return &host.Error{Category: host.ErrGone, ID: "apikeys.migrated", Message: "all API keys were migrated to service accounts; " +
				"create a service account and a token instead"}
		}
		const expired = "DELETE FROM tokens WHERE org_id = $1 AND account_id IS NULL AND name = $2 AND expires_at <= $3"
		if err := exec(ctx, tx, expired, by.OrgID, k.Name, created.UnixMilli()); err != nil {
			return err
		}
		if err := s.checkTokenQuota(ctx, tx, "API keys", gate.MaxAPIKeys, "org_id = $1 AND account_id IS NULL", by.OrgID); err != nil {
			return err
		}
		k.ID, err = find(ctx, tx, scanOne[int64], `INSERT INTO tokens (org_id, role, name, digest, created_at, expires_at, granted_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			by.OrgID, k.Role.String(), k.Name, secret.Digest(), created.UnixMilli(), columnOf(k.Expires), grantedBy)
		return orDuplicate(err, host.Duplicate("name", "an API key with this name already exists"))
	})
	s.audit(ctx, err, by, "API key created", slog.Int64("key", k.ID), slog.String("name", k.Name), slog.Any("role", k.Role))
	return k, secret, err
}

// DeleteAPIKey deletes a key that the caller may manage.
func (s *Store) DeleteAPIKey(ctx context.Context, by host.Identity, id int64) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		k, err := get(ctx, tx, apiKey, scanAPIKey, `DELETE FROM tokens
			WHERE org_id = $1 AND account_id IS NULL AND id = $2 RETURNING id, name, role, expires_at`, by.OrgID, id)
		if err != nil {
			return err
		}
		return by.MayManageKey(k.Role)
	})
	s.audit(ctx, err, by, "API key deleted", slog.Int64("key", id))
	return err
}

const apiKey = "API key"

func keysMigrated(ctx context.Context, q querier, org int64) (bool, error) {
	return get(ctx, q, organization, scanOne[bool], "SELECT keys_migrated FROM orgs WHERE id = $1", org)
}

// MigrateAPIKey creates a service account with the name and role of a key and makes the key
// its token, which remains valid until it expires. After the last key is migrated, no new
// ones can be created.
func (s *Store) MigrateAPIKey(ctx context.Context, by host.Identity, id int64) (a host.ServiceAccount, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		k, err := get(ctx, tx, apiKey, scanAPIKey, selectKeys+"AND id = $2", by.OrgID, id)
		if err != nil {
			return err
		}
		if a, err = migrateKey(ctx, tx, by, k); err != nil {
			return err
		}
		return endKeys(ctx, tx, by.OrgID)
	})
	s.audit(ctx, err, by, "API key migrated", slog.Int64("key", id), slog.String("account", a.Login))
	return a, err
}

const selectKeys = `SELECT id, name, role, expires_at FROM tokens WHERE org_id = $1 AND account_id IS NULL `

// KeyFailure is a key that was not migrated, with the reason.
type KeyFailure struct {
	Key host.APIKey
	Err error
}

// MigrateAPIKeys migrates all keys, including expired ones, that the caller may migrate.
func (s *Store) MigrateAPIKeys(ctx context.Context, by host.Identity) (migrated int, failures []KeyFailure, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		keys, err := list(ctx, tx, scanAPIKey, selectKeys+"ORDER BY id", by.OrgID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := by.MayManageKey(k.Role); err != nil {
				failures = append(failures, KeyFailure{k, err})
				continue
			}
			if _, err := migrateKey(ctx, tx, by, k); err != nil {
				return err
			}
			migrated++
		}
		if migrated == 0 {
			return nil
		}
		return endKeys(ctx, tx, by.OrgID)
	})
	s.audit(ctx, err, by, "API keys migrated", slog.Int("migrated", migrated), slog.Int("left", len(failures)))
	return migrated, failures, err
}

func migrateKey(ctx context.Context, tx *sql.Tx, by host.Identity, k host.APIKey) (host.ServiceAccount, error) {
	if err := by.MayManageKey(k.Role); err != nil {
		return host.ServiceAccount{}, err
	}
	a := host.ServiceAccount{OrgID: by.OrgID, Role: k.Role, Tokens: 1}
	var err error
	if a.Name, err = freeName(ctx, tx, by.OrgID, k.Name); err != nil {
		return a, err
	}
	if a.Login, err = freeLogin(ctx, tx, by.OrgID, host.AccountLogin(a.Name)); err != nil {
		return a, err
	}
	if a.ID, err = insertAccount(ctx, tx, a); err != nil {
		return a, err
	}
	err = exec(ctx, tx, "UPDATE tokens SET account_id = $1, role = NULL WHERE id = $2", a.ID, k.ID)
	return a, err
}

// freeName returns a name for the account of a key that no other account has.
func freeName(ctx context.Context, tx *sql.Tx, org int64, key string) (string, error) {
	for n := 1; ; n++ {
		name := host.AccountNameOfKey(key, n)
		taken, err := list(ctx, tx, scanOne[int64],
			"SELECT id FROM service_accounts WHERE org_id = $1 AND name_folded = $2", org, host.Fold(name))
		if err != nil || len(taken) == 0 {
			return name, err
		}
	}
}

// endKeys forbids new keys if none is left.
func endKeys(ctx context.Context, tx *sql.Tx, org int64) error {
	return exec(ctx, tx, `UPDATE orgs SET keys_migrated = TRUE WHERE id = $1
		AND NOT EXISTS (SELECT 1 FROM tokens WHERE org_id = $1 AND account_id IS NULL)`, org)
}
