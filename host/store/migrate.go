package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
)

// migrations holds the files NNNN_name.sql, which run once each, in the order of their
// names. Released files must not be edited. Store.schema replaces the words that begin with $.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate runs the missing migrations in one transaction: if two hosts start at the same
// time, the second one waits and finds nothing to do.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	// There is no deadline: a migration may have to copy whole tables.
	return s.transaction(ctx, func(tx *sql.Tx) error {
		if s.isShared {
			if err := awaitMigration(ctx, tx); err != nil {
				return err
			}
		}
		const table = `CREATE TABLE IF NOT EXISTS schema_migrations (
			version BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)`
		if err := exec(ctx, tx, table); err != nil {
			return err
		}
		done, err := find(ctx, tx, scanOne[int64], "SELECT COALESCE(MAX(version), 0) FROM schema_migrations")
		if err != nil {
			return err
		}
		var known int64
		for _, file := range files {
			name := path.Base(file)
			if known, err = strconv.ParseInt(name[:4], 10, 64); err != nil {
				return fmt.Errorf("migration %s: the name must start with four digits", name)
			}
			if known > done {
				if err := s.runMigration(ctx, tx, known, file); err != nil {
					return fmt.Errorf("migration %s: %w", name, err)
				}
			}
		}
		if done > known {
			return fmt.Errorf("the database was written by a newer version (schema %d, this version knows %d); upgrade, or use another database", done, known)
		}
		return nil
	})
}

// awaitMigration waits, without a limit, for other hosts that migrate the schema. In the rest of
// the transaction, statements have no time limit, but the usual limit on waiting for locks applies.
func awaitMigration(ctx context.Context, tx *sql.Tx) error {
	if err := exec(ctx, tx, "SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0"); err != nil {
		return err
	}
	if err := exec(ctx, tx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		return err
	}
	return exec(ctx, tx, "SET LOCAL lock_timeout TO DEFAULT")
}

func (s *Store) runMigration(ctx context.Context, tx *sql.Tx, version int64, file string) error {
	text, err := migrations.ReadFile(file)
	if err != nil {
		return err
	}
	if err := exec(ctx, tx, s.schema.Replace(string(text))); err != nil {
		return err
	}
	return exec(ctx, tx, "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)",
		version, path.Base(file), s.now())
}
