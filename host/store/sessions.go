package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

const (
	mostSessions = 50              // of one user; a new one ends the oldest
	seenStep     = 5 * time.Minute // precision of hostapi.Session.SeenAt
	extendTime   = time.Second     // that a request waits for its session to be extended
)

// CreateSession signs a user in. The returned token is not stored.
func (s *Store) CreateSession(ctx context.Context, by host.Identity, agent string) (host.Token, hostapi.Session, error) {
	now := s.clock()
	session := hostapi.Session{UserAgent: host.AgentOf(agent), Created: now, SeenAt: now, Expires: now.Add(host.SessionIdle)}
	secret := host.NewToken(host.SessionToken)
	err := s.transact(ctx, func(tx *sql.Tx) error {
		const removeOld = `DELETE FROM sessions WHERE user_id = $1 AND (expires_at <= $2 OR id IN
			(SELECT id FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT CAST($3 AS BIGINT) OFFSET $4))`
		if err := exec(ctx, tx, removeOld, by.ID, now.UnixMilli(), mostSessions, mostSessions-1); err != nil {
			return err
		}
		var err error
		session.ID, err = find(ctx, tx, scanOne[int64], `INSERT INTO sessions (user_id, digest, agent, created_at, seen_at, expires_at)
			VALUES ($1, $2, $3, $4, $4, $5) RETURNING id`, by.ID, secret.Digest(), session.UserAgent, now.UnixMilli(), session.Expires.UnixMilli())
		return err
	})
	s.audit(ctx, err, by, "signed in", slog.Int64("session", session.ID))
	return secret, session, err
}

// SignedIn returns the user of a session, which it extends, or host.ErrUnauthorized if it has ended.
func (s *Store) SignedIn(ctx context.Context, token host.Token) (host.Identity, hostapi.Session, error) {
	var u host.User
	session, err := find(ctx, s.read, func(row scanner) (hostapi.Session, error) {
		return scanSession(row, &u.ID, &u.OrgID, &u.Login, roleColumn{&u.Role}, &u.IsDisabled, &u.IsServiceAdmin)
	}, "SELECT "+sessionColumns+`, u.id, u.org_id, u.login, u.role, u.is_disabled, u.is_service_admin
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.digest = $1`, token.Digest())
	ended := host.Unauthorized("the session has ended; sign in again")
	now := s.clock()
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return host.Identity{}, hostapi.Session{}, ended
	case err != nil:
		return host.Identity{}, hostapi.Session{}, err
	case u.IsDisabled || !now.Before(session.Expires):
		return host.Identity{}, hostapi.Session{}, ended
	}
	if now.Sub(session.SeenAt) < seenStep {
		return u.Identity(), session, nil
	}
	used := session
	used.SeenAt, used.Expires = now, now.Add(host.SessionIdle)
	if end := session.Created.Add(host.SessionLife); end.Before(used.Expires) {
		used.Expires = end
	}
	extending, cancel := context.WithTimeout(ctx, extendTime)
	defer cancel()
	err = s.transact(extending, func(tx *sql.Tx) error {
		return exec(extending, tx, "UPDATE sessions SET seen_at = $1, expires_at = $2 WHERE id = $3", now.UnixMilli(), used.Expires.UnixMilli(), used.ID)
	})
	if err != nil { // as with a full disk or a busy database: the session is valid until it would have ended
		s.log.WarnContext(ctx, "session not extended", "error", err)
		return u.Identity(), session, nil
	}
	return u.Identity(), used, nil
}

// Sessions returns the sessions of a user, the latest first.
func (s *Store) Sessions(ctx context.Context, userID int64) ([]hostapi.Session, error) {
	return list(ctx, s.read, func(row scanner) (hostapi.Session, error) { return scanSession(row) },
		"SELECT "+sessionColumns+" FROM sessions s WHERE s.user_id = $1 AND s.expires_at > $2 ORDER BY s.id DESC", userID, s.now())
}

const sessionColumns = "s.id, s.agent, s.created_at, s.seen_at, s.expires_at"

// scanSession scans sessionColumns and the columns after them.
func scanSession(row scanner, more ...any) (session hostapi.Session, err error) {
	err = row.Scan(append([]any{&session.ID, &session.UserAgent, timeColumn{&session.Created}, timeColumn{&session.SeenAt},
		timeColumn{&session.Expires}}, more...)...)
	return session, err
}

// DeleteSession ends a session of the caller.
func (s *Store) DeleteSession(ctx context.Context, by host.Identity, id int64) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		_, err := get(ctx, tx, "Session", scanOne[int64], "DELETE FROM sessions WHERE user_id = $1 AND id = $2 RETURNING id", by.ID, id)
		return err
	})
	s.audit(ctx, err, by, "signed out", slog.Int64("session", id))
	return err
}
