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

// credential is what a digest stands for. It is judged at each use, because a
// clock and not a write ends it.
type credential struct {
	identity   host.Identity
	token      int64 // its id
	isDisabled bool
	expires    time.Time // zero: never
	read       time.Time // from the database
}

// Authenticate returns the identity behind a bearer token, or
// host.ErrUnauthorized: unknown, deleted or expired, or its account is disabled.
//
// A change counts from the next call on. With SQLite a credential is remembered
// after its first use, and a change made by another process that has the file open
// counts within maxAge. With PostgreSQL, which other hosts write to, nothing is
// remembered.
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
			Message: "invalid API key: its service account is disabled"}
	case host.HasExpired(c.expires, now):
		return host.Identity{}, &host.Error{Category: host.ErrUnauthorized, ID: "auth.expired",
			Message: "invalid API key: it has expired"}
	}
	s.usage.note(c.token, now)
	return c.identity, nil
}

func (s *Store) credential(ctx context.Context, digest string) (*credential, error) {
	c, err := find(ctx, s.read, scanCredential, `SELECT t.id, t.org_id, t.name, t.role, t.expires_at,
			a.id, a.login, a.role, a.is_disabled
		FROM tokens t LEFT JOIN service_accounts a ON a.id = t.account_id WHERE t.digest = $1`, digest)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, host.Unauthorized("invalid API key")
	}
	if err != nil {
		return nil, fmt.Errorf("authenticate: %w", err)
	}
	if c.identity.Kind == host.KindServiceAccount {
		if c.identity.Grants, err = accountGrants(ctx, s.read, c.identity.ID); err != nil {
			return nil, fmt.Errorf("authenticate: %w", err)
		}
	}
	return c, nil
}

func scanCredential(row scanner) (*credential, error) {
	var (
		c                    credential
		keyRole, login, role sql.NullString
		expires, account     sql.NullInt64
		isDisabled           sql.NullBool
	)
	id := &c.identity
	if err := row.Scan(&id.ID, &id.OrgID, &id.Login, &keyRole, &expires, &account, &login, &role, &isDisabled); err != nil {
		return nil, err
	}
	c.token = id.ID
	c.expires, c.isDisabled = timeOf(expires), isDisabled.Bool
	if !account.Valid {
		id.Kind, id.Role = host.KindAPIKey, roleOf(keyRole.String)
		return &c, nil
	}
	id.Kind, id.ID, id.Login, id.Role = host.KindServiceAccount, account.Int64, login.String, roleOf(role.String)
	return &c, nil
}

// roleOf reads a role column; what it does not know may do nothing.
func roleOf(text string) host.Role {
	role, _ := host.ParseRole(text)
	return role
}

const (
	mostIdentities = 4096        // remembered at a time
	maxAge         = time.Second // of what is remembered
)

// identities remembers credentials by their digest. Each change of an account or
// a token forgets all of them: such changes are rare and reading again is cheap.
type identities struct {
	isOff bool

	mu         sync.RWMutex
	generation uint64 // counts the changes
	byDigest   map[string]*credential
}

func newIdentities(isShared bool) *identities {
	return &identities{isOff: isShared, byDigest: make(map[string]*credential)}
}

// find returns nil if the digest is to be read from the database, and the
// generation to give to keep.
func (i *identities) find(digest string, now time.Time) (*credential, uint64) {
	i.mu.RLock()
	defer i.mu.RUnlock()
	c := i.byDigest[digest]
	if c != nil && (now.Before(c.read) || now.Sub(c.read) > maxAge) {
		c = nil
	}
	return c, i.generation
}

// keep remembers a credential, unless something changed since find: then it may
// have been read before the change.
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

// transactAccess is transactAlone for a change of what a credential stands for.
func (s *Store) transactAccess(ctx context.Context, do func(tx *sql.Tx) error) error {
	defer s.identities.forget()
	return s.transactAlone(ctx, accessLock, do)
}
