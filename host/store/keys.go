package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/slipway-dev/slipway/host"
)

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
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		migrated, err := keysMigrated(ctx, tx, by.OrgID)
		if err != nil {
			return err
		}
		if migrated {
			return &host.Error{Category: host.ErrGone, ID: "apikeys.migrated", Message: "all API keys were migrated to service accounts: " +
				"create a service account and a token of it instead"}
		}
		k.ID, err = find(ctx, tx, scanID, `INSERT INTO tokens (org_id, role, name, digest, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`,
			by.OrgID, k.Role.String(), k.Name, secret.Digest(), created.UnixMilli(), columnOf(k.Expires))
		return orDuplicate(err, host.Duplicate("name", "an API key with this name exists already"))
	})
	s.audit(ctx, err, by, "API key created", slog.Int64("key", k.ID), slog.String("name", k.Name), slog.Any("role", k.Role))
	return k, secret, err
}

// DeleteAPIKey removes a key whose role is not above that of the one who asks.
func (s *Store) DeleteAPIKey(ctx context.Context, by host.Identity, id int64) error {
	err := s.transactAccess(ctx, func(tx *sql.Tx) error {
		k, err := find(ctx, tx, scanAPIKey, `DELETE FROM tokens
			WHERE org_id = $1 AND account_id IS NULL AND id = $2 RETURNING id, name, role, expires_at`, by.OrgID, id)
		if err != nil {
			return orNotFound(err, apiKey)
		}
		return by.MayGive(k.Role)
	})
	s.audit(ctx, err, by, "API key deleted", slog.Int64("key", id))
	return err
}

const apiKey = "API key"

// KeysMigrated says whether all keys of an organisation became tokens of service
// accounts, so that it gets no new ones.
func (s *Store) KeysMigrated(ctx context.Context, org int64) (bool, error) {
	return keysMigrated(ctx, s.read, org)
}

func keysMigrated(ctx context.Context, q querier, org int64) (bool, error) {
	migrated, err := find(ctx, q, func(row scanner) (is bool, err error) {
		err = row.Scan(&is)
		return is, err
	}, "SELECT keys_migrated FROM orgs WHERE id = $1", org)
	return migrated, orNotFound(err, organisation)
}

// MigrateAPIKey makes a service account with the name and the role of a key, and the
// key its token: its secret goes on working until it expires. If it was the last
// key, no new ones can be made.
func (s *Store) MigrateAPIKey(ctx context.Context, by host.Identity, id int64) (a host.ServiceAccount, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		k, err := find(ctx, tx, scanAPIKey, selectKeys+"AND id = $2", by.OrgID, id)
		if err != nil {
			return orNotFound(err, apiKey)
		}
		if a, err = migrateKey(ctx, tx, by, k); err != nil {
			return err
		}
		left, err := find(ctx, tx, scanID, "SELECT COUNT(*) FROM tokens WHERE org_id = $1 AND account_id IS NULL", by.OrgID)
		if err != nil || left > 0 {
			return err
		}
		return endKeys(ctx, tx, by.OrgID)
	})
	s.audit(ctx, err, by, "API key migrated", slog.Int64("key", id), slog.String("account", a.Login))
	return a, err
}

const selectKeys = `SELECT id, name, role, expires_at FROM tokens WHERE org_id = $1 AND account_id IS NULL `

// KeyFailure is a key that was not migrated, and why.
type KeyFailure struct {
	Key host.APIKey
	Err error
}

// MigrateAPIKeys migrates every key, expired ones too, but those that the one who
// asks may not. If that leaves none, no new ones can be made.
func (s *Store) MigrateAPIKeys(ctx context.Context, by host.Identity) (migrated int, failures []KeyFailure, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		keys, err := list(ctx, tx, scanAPIKey, selectKeys+"ORDER BY id", by.OrgID)
		if err != nil {
			return err
		}
		migrated, failures = 0, nil
		for _, k := range keys {
			if err := by.MayGive(k.Role); err != nil {
				failures = append(failures, KeyFailure{k, err})
				continue
			}
			if _, err := migrateKey(ctx, tx, by, k); err != nil {
				return err
			}
			migrated++
		}
		if migrated == 0 || len(failures) > 0 {
			return nil
		}
		return endKeys(ctx, tx, by.OrgID)
	})
	s.audit(ctx, err, by, "API keys migrated", slog.Int("migrated", migrated), slog.Int("left", len(failures)))
	return migrated, failures, err
}

func migrateKey(ctx context.Context, tx *sql.Tx, by host.Identity, k host.APIKey) (host.ServiceAccount, error) {
	if err := by.MayGive(k.Role); err != nil {
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
	_, err = tx.ExecContext(ctx, "UPDATE tokens SET account_id = $1, role = NULL WHERE id = $2", a.ID, k.ID)
	return a, err
}

// freeName returns the name of a key as the name of an account, numbered if another
// account has it.
func freeName(ctx context.Context, tx *sql.Tx, org int64, key string) (string, error) {
	for n := 1; ; n++ {
		name := host.AccountNameOfKey(key, n)
		taken, err := list(ctx, tx, scanID,
			"SELECT id FROM service_accounts WHERE org_id = $1 AND name_folded = $2", org, host.Fold(name))
		if err != nil || len(taken) == 0 {
			return name, err
		}
	}
}

func endKeys(ctx context.Context, tx *sql.Tx, org int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE orgs SET keys_migrated = TRUE WHERE id = $1", org)
	return err
}
