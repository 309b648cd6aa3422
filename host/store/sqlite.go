package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	return dialect{schema: strings.NewReplacer("$AUTOID", "INTEGER PRIMARY KEY AUTOINCREMENT", "$TEXT", "TEXT", "$COUNT_TOKENS", sqliteCountTokens,
		"$COUNT_PLAYLISTS", sqliteCountPlaylists())}
}

// sqliteCountTokens keeps token_count. Triggers also see the tokens that a foreign key deletes.
const sqliteCountTokens = `
CREATE TRIGGER token_inserted AFTER INSERT ON tokens BEGIN
	UPDATE service_accounts SET token_count = token_count + 1 WHERE id = NEW.account_id;
END;
CREATE TRIGGER token_deleted AFTER DELETE ON tokens BEGIN
	UPDATE service_accounts SET token_count = token_count - 1 WHERE id = OLD.account_id;
END;
CREATE TRIGGER token_moved AFTER UPDATE OF account_id ON tokens BEGIN
	UPDATE service_accounts SET token_count = token_count - 1 WHERE id = OLD.account_id;
	UPDATE service_accounts SET token_count = token_count + 1 WHERE id = NEW.account_id;
END;`

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
	path, file, remove, err := makeFile(name)
	if err != nil {
		return err
	}
	s.dialect, s.file = sqliteDialect(), &databaseFile{path: path, file: file}
	err = s.openPools(ctx, path)
	if isFull(err) {
		// There is no room for the index of the write-ahead log. With an exclusive lock, SQLite
		// keeps it in memory, so that the data can at least be read.
		if aloneErr := s.openAlone(ctx, path); aloneErr != nil {
			err = errors.Join(err, aloneErr)
		} else {
			err = nil
			s.isFull.Store(true)
			s.log.WarnContext(ctx, "the disk of the database is full: reading works, but slowly; free space and restart the host", "database", path)
		}
	}
	if err != nil {
		return errors.Join(explain(err), file.Close(), remove())
	}
	s.close = sync.OnceValue(func() error {
		abandoned, err := s.detachLog(path)
		if abandoned {
			return errors.Join(err, remove())
		}
		// The writer last: it merges the log into the file.
		return errors.Join(err, s.read.db.Close(), s.write.db.Close(), file.Close(), remove())
	})
	return nil
}

// detachLog empties or deletes the log of a database that was replaced. SQLite would merge it
// into the file that now has the name, such as a backup, and damage that. The log of a
// file that was moved is merged into that file, in case it is moved back.
//
// If the file itself was overwritten, the database must be abandoned: closing it would merge
// the log, too.
func (s *Store) detachLog(path string) (abandon bool, err error) {
	if s.file.check() == nil {
		return false, nil
	}
	if !s.file.isLost.Load() {
		var isBusy, inLog, merged int
		if err = s.write.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&isBusy, &inLog, &merged); err == nil && isBusy == 0 {
			return false, nil
		}
		return false, errors.Join(fmt.Errorf("%s-wal belongs to a database that is gone; delete it before you restore a backup", path), err)
	}
	for _, name := range []string{path + "-wal", path + "-shm"} {
		if removeErr := os.Remove(name); !errors.Is(removeErr, os.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return true, err
}

// openPools connects with one writer and several readers.
func (s *Store) openPools(ctx context.Context, path string) (err error) {
	if s.write, err = s.newSQLitePool(dataSource(path, "_txlock=immediate&_pragma=busy_timeout(100)"), 1); err != nil {
		return err
	}
	if s.read, err = s.newSQLitePool(dataSource(path, "_pragma=query_only(1)&_pragma=busy_timeout(1500)"), readers()); err != nil {
		return err
	}
	if err = s.prepareFile(ctx); err != nil {
		return errors.Join(err, s.read.db.Close(), s.write.db.Close())
	}
	return nil
}

// openAlone connects with one connection, which locks the file.
func (s *Store) openAlone(ctx context.Context, path string) (err error) {
	options := "_txlock=immediate&_pragma=busy_timeout(1500)&_pragma=locking_mode(EXCLUSIVE)"
	if s.write, err = s.newSQLitePool(dataSource(path, options), 1); err != nil {
		return err
	}
	s.read = s.write
	if err = s.prepareFile(ctx); err != nil {
		return errors.Join(err, s.write.db.Close())
	}
	return nil
}

// prepareFile brings the file to the current schema.
func (s *Store) prepareFile(ctx context.Context) error {
	if err := s.nameFile(ctx); err != nil {
		return err
	}
	if err := s.useWAL(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	return s.file.remember()
}

// nameFile gives the file a random application id, by which it is recognized, if it has
// none.
func (s *Store) nameFile(ctx context.Context) error {
	return whileBusy(ctx, func() error { return s.nameFileOnce(ctx) })
}

func (s *Store) nameFileOnce(ctx context.Context) error {
	tx, err := s.write.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // no effect after Commit
	if s.file.id, err = find(ctx, tx, scanOne[uint32], "PRAGMA application_id"); err != nil || s.file.id != 0 {
		return err
	}
	var random [4]byte
	if _, err := io.ReadFull(s.random, random[:]); err != nil {
		return fmt.Errorf("name the database: %w", err)
	}
	s.file.id = binary.BigEndian.Uint32(random[:])>>2 + 1 // positive as a signed number
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", s.file.id)); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) newSQLitePool(dataSource string, size int) (*pool, error) {
	connector, err := sqlite.NewConnector(dataSource)
	if err != nil {
		return nil, err
	}
	return s.newPool(checkedConnector{connector, s.file}, size), nil
}

// checkedConnector connects only to the file that was opened. SQLite would create a missing file,
// and would apply the log of the database to another one.
type checkedConnector struct {
	driver.Connector
	file *databaseFile
}

// Connect implements driver.Connector.
func (c checkedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.file.check(); err != nil {
		return nil, err
	}
	return c.Connector.Connect(ctx)
}

// makeFile creates the file, readable only by its owner, before SQLite would create it for
// everyone. SQLite gives its log files the same mode. remove deletes a temporary file.
func makeFile(path string) (absolute string, file *os.File, remove func() error, err error) {
	remove = func() error { return nil }
	if path == "" {
		dir, err := os.MkdirTemp("", "slipway-store-")
		if err != nil {
			return "", nil, nil, fmt.Errorf("create a temporary database: %w", err)
		}
		path, remove = filepath.Join(dir, "slipway.db"), func() error { return os.RemoveAll(dir) }
	}
	if absolute, err = filepath.Abs(path); err != nil {
		return "", nil, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(absolute), 0o700); err != nil {
		return "", nil, nil, fmt.Errorf("create the directory of the database: %w", err)
	}
	file, err = os.OpenFile(absolute, os.O_RDWR|os.O_CREATE, 0o600)
	return absolute, file, remove, err
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
