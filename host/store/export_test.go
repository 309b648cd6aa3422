package store

import (
	"context"
	"database/sql"
)

// MigrationLock is the advisory lock that a migration holds.
const MigrationLock = migrationLock

// Exec runs a statement on the writing connection.
func (s *Store) Exec(ctx context.Context, query string, args ...any) error {
	_, err := s.write.db.ExecContext(ctx, query, args...)
	return err
}

// Lock runs statements on another connection to a SQLite file. What they lock is released by unlock.
func Lock(ctx context.Context, file string, statements ...string) (unlock func(), err error) {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	for _, statement := range statements {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	return func() { _ = db.Close() }, nil
}
