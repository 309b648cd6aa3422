package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteDialect is SQLite. SQLite allows one writer, so all writes share one
// connection: they wait for it instead of retrying to lock the file. Reads have their
// own pool and, with a write-ahead log, do not wait.
func sqliteDialect() dialect {
	return dialect{schema: strings.NewReplacer("$AUTOID", "INTEGER PRIMARY KEY AUTOINCREMENT", "$TEXT", "TEXT", "$DROP_TRIGGERS", sqliteDropTriggers)}
}

// sqliteDropTriggers drops the triggers of earlier versions, which counted rows.
const sqliteDropTriggers = `
DROP TRIGGER IF EXISTS token_inserted; DROP TRIGGER IF EXISTS token_deleted; DROP TRIGGER IF EXISTS token_moved;
DROP TRIGGER IF EXISTS playlist_inserted; DROP TRIGGER IF EXISTS playlist_deleted; DROP TRIGGER IF EXISTS playlist_renamed;
DROP TRIGGER IF EXISTS range_grown; DROP TRIGGER IF EXISTS range_emptied`

// openSQLite opens the file and migrates the schema. If it fails, nothing stays open.
//
// An acknowledged write survives the death of the process. The write-ahead log is not
// synced at each commit (synchronous=NORMAL): a power failure can lose the last writes but
// cannot corrupt the file.
func (s *Store) openSQLite(ctx context.Context, name string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open database %s: %w", cmp.Or(name, "(temporary)"), err)
		}
	}()
	path, remove, err := makeFile(name)
	if err != nil {
		return err
	}
	s.dialect = sqliteDialect()
	if err := s.openPools(ctx, path); err != nil {
		return errors.Join(explain(err), remove())
	}
	s.close = sync.OnceValue(func() error { // the writer last: it merges the log into the file
		return errors.Join(s.read.db.Close(), s.write.db.Close(), remove())
	})
	return nil
}

// openPools connects with one writer and several readers.
func (s *Store) openPools(ctx context.Context, path string) (err error) {
	if s.write, err = s.newSQLitePool(dataSource(path, "_txlock=immediate&_pragma=busy_timeout(100)"), 1); err != nil {
		return err
	}
	if s.read, err = s.newSQLitePool(dataSource(path, "_pragma=query_only(1)&_pragma=busy_timeout(1500)"), readers()); err != nil {
		return err
	}
	if err = s.useWAL(ctx); err == nil {
		err = s.migrate(ctx)
	}
	if err != nil {
		return errors.Join(err, s.read.db.Close(), s.write.db.Close())
	}
	return nil
}

func (s *Store) newSQLitePool(dataSource string, size int) (*pool, error) {
	connector, err := sqlite.NewConnector(dataSource)
	if err != nil {
		return nil, err
	}
	return s.newPool(connector, size), nil
}

// makeFile creates the file, readable only by its owner, before SQLite would create it for
// everyone. SQLite gives its log files the same mode. remove deletes a temporary file.
func makeFile(path string) (absolute string, remove func() error, err error) {
	remove = func() error { return nil }
	if path == "" {
		dir, err := os.MkdirTemp("", "slipway-store-")
		if err != nil {
			return "", nil, fmt.Errorf("create a temporary database: %w", err)
		}
		path, remove = filepath.Join(dir, "slipway.db"), func() error { return os.RemoveAll(dir) }
	}
	if absolute, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if err := os.MkdirAll(filepath.Dir(absolute), 0o700); err != nil {
		return "", nil, fmt.Errorf("create the directory of the database: %w", err)
	}
	if info, err := os.Stat(absolute); err == nil { // closing it would release the locks of a store that has it open
		if info.IsDir() {
			err = errors.New("is a directory")
		}
		return absolute, remove, err
	}
	file, err := os.OpenFile(absolute, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = file.Close()
	}
	return absolute, remove, err
}

// dataSource returns the URI of the file for the driver, with an additional option.
func dataSource(path, option string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' { // C:/...
		path = "/" + path
	}
	const options = "_pragma=foreign_keys(1)&_pragma=synchronous(NORMAL)&"
	return (&url.URL{Scheme: "file", Path: path, RawQuery: options + option}).String()
}

func (s *Store) useWAL(ctx context.Context) error {
	return whileBusy(ctx, func() error {
		var mode string
		if err := s.write.db.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode); err != nil {
			return err
		}
		if mode != "wal" {
			return fmt.Errorf("the file system does not support a write-ahead log (journal mode %s)", mode)
		}
		return nil
	})
}

// whileBusy calls do again while another process holds the file, for at most 10 s. SQLite
// itself waits only briefly, since it ignores the deadlines of callers, and not at all for
// some statements.
func whileBusy(ctx context.Context, do func() error) error {
	for deadline := time.Now().Add(10 * time.Second); ; {
		err := do()
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%w (%w)", ctx.Err(), err)
		}
	}
}

func isBusy(err error) bool { return code(err)&0xff == sqlite3.SQLITE_BUSY }

// code returns the extended result code of an error from SQLite, or 0 for other errors.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}
