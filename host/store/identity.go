package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/slipway-dev/slipway/host"
)

const selectIdentity = "SELECT id FROM database_identity"

// identify reads the identity of the database, which it creates if there is none.
func (s *Store) identify(ctx context.Context, tx *sql.Tx) (id string, err error) {
	id, err = find(ctx, tx, scanOne[string], selectIdentity)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if id, err = host.NewUID(s.random); err != nil {
		return "", fmt.Errorf("identify the database: %w", err)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO database_identity (id) VALUES ($1)", id)
	return id, err
}

// checkIdentity returns an error if the database is not the one that was opened.
func (s *Store) checkIdentity(ctx context.Context) error {
	id, err := find(ctx, s.read, scanOne[string], selectIdentity)
	return s.compare(id, err)
}

func (s *Store) compare(id string, err error) error {
	switch known := s.identity.Load(); {
	case known == nil: // the store is being opened
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return errReplaced("its tables are empty", err)
	case err != nil:
		return err
	case id != *known:
		return errReplaced("another database is in its place", nil)
	}
	return nil
}

// checkConnection is checkIdentity for a new connection to PostgreSQL: after a restart,
// the address can lead to another database.
func (s *Store) checkConnection(ctx context.Context, conn *pgx.Conn) error {
	if s.identity.Load() == nil {
		return nil
	}
	var id string
	err := conn.QueryRow(ctx, selectIdentity).Scan(&id) // pgx.ErrNoRows wraps sql.ErrNoRows
	return explain(s.compare(id, err))
}
