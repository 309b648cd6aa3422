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

// credential is a stored token. Its expiry is checked at each use: no write marks it.
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
		if !s.isShared {
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
		return exec(ctx, tx, "UPDATE tokens SET last_used_at = $1 WHERE id = $2", now.UnixMilli(), c.token)
	})
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "could not store the last use of a token", slog.Any("error", err))
	}
}

func (s *Store) credential(ctx context.Context, digest string) (*credential, error) {
	c, err := find(ctx, s.read, scanCredential, `SELECT t.id, t.org_id, t.expires_at, COALESCE(t.last_used_at, 0),
			COALESCE(a.id, t.id), COALESCE(a.login, t.name), COALESCE(a.role, t.role), a.id IS NOT NULL, a.plugin_id IS NOT NULL,
			COALESCE(g.id, 0), COALESCE(a.is_disabled, FALSE) OR COALESCE(g.is_disabled, FALSE)
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
	c, isAccount, isPlugin, used := &credential{}, false, false, int64(0)
	id := &c.identity
	err := row.Scan(&c.token, &id.OrgID, timeColumn{&c.expires}, &used, &id.ID, &id.Login, roleColumn{&id.Role}, &isAccount, &isPlugin,
		&id.GrantsOf, &c.isDisabled)
	c.used.Store(used)
	c.isBounded, id.Kind = id.GrantsOf != 0, host.KindAPIKey
	if isAccount {
		id.Kind = host.KindServiceAccount
	}
	if isPlugin {
		id.GrantsOf = id.ID
	} else {
		id.Expires = c.expires
	}
	return c, err
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
