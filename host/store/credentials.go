package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// credential is a stored token. Its expiry is checked at each use, since no write marks
// it.
type credential struct {
	identity   host.Identity
	token      int64        // id of the token
	isDisabled bool         // the account, or the plugin's account that the grants come from
	expires    time.Time    // zero: never
	isBounded  bool         // a plugin created it: the role only limits the plugin's grants
	read       time.Time    // when it was read from the database
	used       atomic.Int64 // when it was last used, in milliseconds
}

// Authenticate returns the identity of a bearer token. It returns host.ErrUnauthorized if
// the token is unknown or expired, or if its account is disabled.
//
// A change takes effect with the next call. On SQLite, where credentials are cached, a
// change by another process takes effect within maxAge. On PostgreSQL, which other hosts
// write to, nothing is cached.
func (s *Store) Authenticate(ctx context.Context, token host.Token) (host.Identity, error) {
	digest, now := token.Digest(), s.clock()
	known := s.credentials.Load() // a change replaces it: what was read before is not kept
	cached, _ := known.Load(digest)
	c, ok := cached.(*credential)
	if !ok || now.Before(c.read) || now.Sub(c.read) > maxAge {
		var err error
		if c, err = s.credential(ctx, digest); err != nil {
			return host.Identity{}, err
		}
		c.read = now
		if !s.dialect.isShared {
			known.Store(digest, c)
		}
	}
	switch {
	case c.isDisabled:
		return host.Identity{}, &host.Error{Category: host.ErrUnauthorized, ID: "auth.disabled",
			Message: "invalid API key: the service account is disabled"}
	case host.HasExpired(c.expires, now):
		return host.Identity{}, &host.Error{Category: host.ErrUnauthorized, ID: "auth.expired",
			Message: "invalid API key: the key has expired"}
	}
	s.noteUse(ctx, c, now)
	return c.identity, nil
}

// noteUse stores when a token was last used, at most once in useStep. If that fails, as with a full
// disk or a busy database, the token can be used nevertheless.
func (s *Store) noteUse(ctx context.Context, c *credential, now time.Time) {
	used := c.used.Load()
	if now.UnixMilli()-used < useStep.Milliseconds() || !c.used.CompareAndSwap(used, now.UnixMilli()) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, extendTime)
	defer cancel()
	err := s.transact(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE tokens SET last_used_at = $1 WHERE id = $2", now.UnixMilli(), c.token)
		return err
	})
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "could not store the last use of a token", slog.Any("error", err))
	}
}

func (s *Store) credential(ctx context.Context, digest string) (*credential, error) {
	c, err := find(ctx, s.read, scanCredential, `SELECT t.id, t.org_id, t.name, t.role, t.expires_at, COALESCE(t.last_used_at, 0),
			a.id, a.login, a.role, a.is_disabled, a.plugin_id IS NOT NULL, g.id, g.is_disabled
		FROM tokens t LEFT JOIN service_accounts a ON a.id = t.account_id
			LEFT JOIN service_accounts g ON g.id = t.granted_by WHERE t.digest = $1`, digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, host.Unauthorized("invalid API key: this host does not know it; use one that was created here and still exists")
	}
	if err != nil {
		return nil, fmt.Errorf("authenticate: %w", err)
	}
	if id := &c.identity; id.GrantsOf != 0 {
		if id.Grants, err = accountGrants(ctx, s.read, id.GrantsOf); err != nil {
			return nil, fmt.Errorf("authenticate: %w", err)
		}
		if c.isBounded {
			id.Bound()
		}
	}
	return c, nil
}

func scanCredential(row scanner) (*credential, error) {
	var (
		c                    credential
		keyRole, login, role sql.NullString
		expires, account     sql.NullInt64
		isDisabled, isPlugin sql.NullBool
		granter              sql.NullInt64
		isGranterDisabled    sql.NullBool
		used                 int64
	)
	id := &c.identity
	if err := row.Scan(&id.ID, &id.OrgID, &id.Login, &keyRole, &expires, &used, &account, &login, &role, &isDisabled,
		&isPlugin, &granter, &isGranterDisabled); err != nil {
		return nil, err
	}
	c.token = id.ID
	c.used.Store(used)
	c.expires, c.isDisabled = timeOf(expires), isDisabled.Bool || isGranterDisabled.Bool
	c.isBounded, id.GrantsOf = granter.Valid, granter.Int64
	if account.Valid && isPlugin.Bool {
		id.GrantsOf = account.Int64
	} else {
		id.Expires = c.expires
	}
	if !account.Valid {
		id.Kind, id.Role = host.KindAPIKey, roleOf(keyRole.String)
		return &c, nil
	}
	id.Kind, id.ID, id.Login, id.Role = host.KindServiceAccount, account.Int64, login.String, roleOf(role.String)
	return &c, nil
}

// roleOf parses a role column. An unknown role has no permissions.
func roleOf(text string) host.Role {
	role, _ := host.ParseRole(text)
	return role
}

const (
	maxAge  = time.Second // of a cached credential
	useStep = time.Minute // precision of the time of the last use
)

// transactAccess is transactAlone for changes of accounts and credentials. It clears the cache:
// changes are rare, and reading again is cheap.
func (s *Store) transactAccess(ctx context.Context, do func(tx *sql.Tx) error) error {
	defer s.credentials.Store(new(sync.Map))
	return s.transactAlone(ctx, accessLock, do)
}
