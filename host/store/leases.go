package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"

	"github.com/slipway-dev/slipway/host"
)

// LeaseToken creates a token for a service account that expires after host.LeaseLifetime
// unless RenewToken extends it. It replaces the token with the same name.
func (s *Store) LeaseToken(ctx context.Context, by host.Identity, accountID int64, name string) (secret host.Token, err error) {
	err = s.transactAccess(ctx, func(tx *sql.Tx) error {
		a, err := editableAccount(ctx, tx, by, accountID)
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
	secret, err := host.NewToken(host.ServiceAccountToken, s.random)
	if err != nil {
		return host.Token{}, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM tokens WHERE account_id = $1 AND name = $2", a.ID, name); err != nil {
		return host.Token{}, err
	}
	_, err = insertToken(ctx, tx, a, token, secret)
	return secret, err
}

// RenewToken extends a leased token to host.LeaseLifetime from now, even if it has expired,
// and reports whether it exists.
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
