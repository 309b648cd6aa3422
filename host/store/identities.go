package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// credential is a stored token. Its expiry is checked at each use, since no write marks
// it.
type credential struct {
	identity   host.Identity
	token      int64     // id of the token
	isDisabled bool      // the account, or the plugin's account that the grants come from
	expires    time.Time // zero: never
	isBounded  bool      // a plugin created it: the role only limits the plugin's grants
	read       time.Time // when it was read from the database
}

// Authenticate returns the identity of a bearer token. It returns host.ErrUnauthorized if
// the token is unknown or expired, or if its account is disabled.
//
// A change takes effect with the next call. On SQLite, where credentials are cached, a
// change by another process takes effect within maxAge. On PostgreSQL, which other hosts
// write to, nothing is cached.
func (s *Store) Authenticate(ctx context.Context, token host.Token) (host.Identity, error) {
	digest, now := token.Digest(), s.clock()
	c, generation := s.identities.find(digest, now)
	if c == nil {
		var err error
		if c, err = s.credential(ctx, digest); err != nil {
			return host.Identity{}, err
		}
		c.read = now
		s.identities.keep(digest, c, generation)
	}
	switch {
	case c.isDisabled:
		return host.Identity{}, &host.Error{Category: host.ErrUnauthorized, ID: "auth.disabled",
			Message: "invalid API key: the service account is disabled"}
	case host.HasExpired(c.expires, now):
		return host.Identity{}, &host.Error{Category: host.ErrUnauthorized, ID: "auth.expired",
			Message: "invalid API key: the key has expired"}
	}
	s.usage.note(c.token, now)
	return c.identity, nil
}

func (s *Store) credential(ctx context.Context, digest string) (*credential, error) {
	c, err := find(ctx, s.read, scanCredential, `SELECT t.id, t.org_id, t.name, t.role, t.expires_at,
			a.id, a.login, a.role, a.is_disabled, a.plugin_id IS NOT NULL, g.id, g.is_disabled
		FROM tokens t LEFT JOIN service_accounts a ON a.id = t.account_id
			LEFT JOIN service_accounts g ON g.id = t.granted_by WHERE t.digest = $1`, digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, host.Unauthorized("invalid API key")
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
	)
	id := &c.identity
	if err := row.Scan(&id.ID, &id.OrgID, &id.Login, &keyRole, &expires, &account, &login, &role, &isDisabled,
		&isPlugin, &granter, &isGranterDisabled); err != nil {
		return nil, err
	}
	c.token = id.ID
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
	mostIdentities = 4096        // cached at the same time
	maxAge         = time.Second // of a cached credential
)

// identities caches credentials by digest. Each change of an account or a token clears the
// cache: changes are rare, and reading again is cheap.
type identities struct {
	isOff bool

	mu         sync.RWMutex
	generation uint64 // number of changes
	byDigest   map[string]*credential
}

func newIdentities(isShared bool) *identities {
	return &identities{isOff: isShared, byDigest: make(map[string]*credential)}
}

// find returns a cached credential, or nil, and the generation to pass to keep.
func (i *identities) find(digest string, now time.Time) (*credential, uint64) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	c := i.byDigest[digest]
	if c != nil && (now.Before(c.read) || now.Sub(c.read) > maxAge) {
		c = nil
	}
	return c, i.generation
}

// keep caches a credential unless there was a change since find: then the credential may
// be outdated.
func (i *identities) keep(digest string, c *credential, generation uint64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.isOff || i.generation != generation {
		return
	}
	if len(i.byDigest) >= mostIdentities {
		clear(i.byDigest)
	}
	i.byDigest[digest] = c
}

func (i *identities) forget() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.generation++
	clear(i.byDigest)
}

// transactAccess is transactAlone for changes of accounts and credentials.
func (s *Store) transactAccess(ctx context.Context, do func(tx *sql.Tx) error) error {
	defer s.identities.forget()
	return s.transactAlone(ctx, accessLock, do)
}
