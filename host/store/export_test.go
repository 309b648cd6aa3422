package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
)

// Wrapped returns the options with a wrapper for the connections.
func (o Options) Wrapped(wrap func(driver.Connector) driver.Connector) Options {
	o.wrap = wrap
	return o
}

// MigrationLock is the advisory lock that a migration holds.
const MigrationLock = migrationLock

// Exec runs a statement on the writing connection.
func (s *Store) Exec(ctx context.Context, query string, args ...any) error {
	_, err := s.write.db.ExecContext(ctx, query, args...)
	return err
}

// Explain returns the rows of a statement that explains another one, as text.
func (s *Store) Explain(ctx context.Context, query string, columns int, args ...any) ([]string, error) {
	return list(ctx, &pool{db: s.write.db, timeout: DefaultTimeout}, func(row scanner) (text string, err error) {
		to := make([]any, columns)
		for i := range to {
			to[i] = new(any)
		}
		to[columns-1] = &text
		err = row.Scan(to...)
		return text, err
	}, query, args...)
}

// Miscounted returns the ids of the accounts whose token_count is wrong.
func (s *Store) Miscounted(ctx context.Context) ([]int64, error) {
	return list(ctx, s.write.db, scanOne[int64], `SELECT id FROM service_accounts a
		WHERE token_count <> (SELECT COUNT(*) FROM tokens t WHERE t.account_id = a.id)`)
}

// CheckFile is the check that precedes each write.
func (s *Store) CheckFile() error { return s.file.check() }

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

// HoldLong runs as many long reads as can run at the same time, until end is called.
func (s *Store) HoldLong(ctx context.Context) (end func(), err error) {
	n := s.mostLong()
	return func() { s.long.Release(n) }, s.long.Acquire(ctx, n)
}

// CountRanges divides the playlists into ranges, as the migration does.
func (s *Store) CountRanges(ctx context.Context) error {
	text, err := migrations.ReadFile("migrations/0011_playlist_ranges.sql")
	if err != nil {
		return err
	}
	_, fill, _ := strings.Cut(string(text), "$COUNT_PLAYLISTS")
	return s.Exec(ctx, "-- not a statement of the store\nDELETE FROM playlist_ranges;"+fill)
}

// Ranges returns the number of playlists in each range, and an error if one is wrong.
func (s *Store) Ranges(ctx context.Context) ([]int64, error) {
	return list(ctx, s.write.db, func(row scanner) (counted int64, err error) {
		var name, uid string
		var are int64
		err = row.Scan(&name, &uid, &counted, &are)
		if err == nil && counted != are {
			err = fmt.Errorf("the range from %q, %q has %d playlists, counted are %d", name, uid, are, counted)
		}
		return counted, err
	}, `-- not a statement of the store
		SELECT name, uid, playlists, (SELECT COUNT(*) FROM playlists p WHERE p.org_id = r.org_id AND (p.name, p.uid) >= (r.name, r.uid)
			AND NOT EXISTS (SELECT 1 FROM playlist_ranges n WHERE n.org_id = r.org_id AND (n.name, n.uid) > (r.name, r.uid) AND (n.name, n.uid) <= (p.name, p.uid)))
		FROM playlist_ranges r ORDER BY org_id, name, uid`)
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
