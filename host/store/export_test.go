package store

import (
	"context"
	"database/sql"
	"fmt"
)

// MigrationLock is the advisory lock that a migration holds.
const MigrationLock = migrationLock

// Exec runs a statement on the writing connection.
func (s *Store) Exec(ctx context.Context, query string, args ...any) error {
	_, err := s.write.db.ExecContext(ctx, query, args...)
	return err
}

// CreateOld creates a database with the schema of an older version and runs a statement.
func CreateOld(ctx context.Context, database string, files []string, statement string) error {
	driver, d := "sqlite", sqliteDialect()
	if IsShared(database) {
		driver, d = "pgx", postgresDialect()
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		return err
	}
	defer db.Close()
	all := "CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL);"
	for n, file := range files {
		text, err := migrations.ReadFile("migrations/" + file)
		if err != nil {
			return err
		}
		all += d.schema.Replace(string(text)) + fmt.Sprintf(";INSERT INTO schema_migrations VALUES (%d, '%s', 0);", n+1, file)
	}
	_, err = db.ExecContext(ctx, all+statement)
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
