package store

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// openSQLite opens the file and migrates the schema.
//
// An acknowledged write survives the death of the process. The write-ahead log is not
// synced at each commit (synchronous=NORMAL): a power failure can lose the last writes but
// cannot corrupt the file. SQLite allows one writer, so all writes share one connection: they
// wait for it instead of retrying to lock the file. Reads have their own pool and do not wait.
func (s *Store) openSQLite(ctx context.Context, name string) error {
	s.schema = strings.NewReplacer("$AUTOID", "INTEGER PRIMARY KEY AUTOINCREMENT", "$TEXT", "TEXT")
	path, err := s.makeFile(name)
	if err == nil { // the writer is closed last: it merges the log into the file
		s.write, err = s.newSQLitePool(path, "_txlock=immediate&_pragma=busy_timeout(100)", 1)
	}
	if err == nil {
		s.read, err = s.newSQLitePool(path, "_pragma=query_only(1)&_pragma=busy_timeout(1500)", readers())
	}
	if err == nil {
		err = s.useWAL(ctx)
	}
	if err == nil {
		err = s.migrate(ctx)
	}
	if err != nil {
		return fmt.Errorf("open database %s: %w", cmp.Or(name, "(temporary)"), explain(err))
	}
	return nil
}

func (s *Store) newSQLitePool(path, options string, size int) (*pool, error) {
	connector, err := sqlite.NewConnector(dataSource(path, options))
	if err != nil {
		return nil, err
	}
	return s.newPool(preparing{connector}, size), nil
}

// makeFile creates the file, readable only by its owner, before SQLite would create it for
// everyone. SQLite gives its log files the same mode. Close removes a temporary file.
func (s *Store) makeFile(path string) (absolute string, err error) {
	if path == "" {
		dir, err := os.MkdirTemp("", "slipway-store-")
		if err != nil {
			return "", err
		}
		s.closers = append(s.closers, func() error { return os.RemoveAll(dir) })
		path = filepath.Join(dir, "slipway.db")
	}
	if absolute, err = filepath.Abs(path); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(absolute), 0o700); err != nil {
		return "", fmt.Errorf("create the directory of the database: %w", err)
	}
	if info, err := os.Stat(absolute); err == nil { // closing it would release the locks of a store that has it open
		if info.IsDir() {
			err = errors.New("is a directory")
		}
		return absolute, err
	}
	file, err := os.OpenFile(absolute, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = file.Close()
	}
	return absolute, err
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

// whileBusy calls do again, for at most 10 s, while another process holds the file. SQLite waits only
// briefly, since it ignores the deadlines of callers, or not at all.
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

const mostPrepared = 256

// preparing is a connector to SQLite whose connections keep the statements that they prepared,
// since preparing one costs about as much as a short read. The driver of PostgreSQL does the same.
type preparing struct{ driver.Connector }

// Connect implements driver.Connector.
func (c preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparingConn{conn.(sqliteConn), map[string]preparedStmt{}}, nil
}

// sqliteConn are the interfaces of a connection to SQLite that package sql uses.
type sqliteConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

type preparedStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// preparingConn keeps statements by their text. A statement runs only once at a time, because
// list reads all rows of a query before it returns.
type preparingConn struct {
	sqliteConn
	prepared map[string]preparedStmt
}

// ExecContext implements driver.ExecerContext.
func (c *preparingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if len(args) == 0 { // a migration or a setting, which runs once
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *preparingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if len(args) == 0 {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	stmt, err := c.prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args)
}

func (c *preparingConn) prepare(ctx context.Context, query string) (preparedStmt, error) {
	if stmt := c.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.prepared[query] = stmt.(preparedStmt)
	return c.prepared[query], nil
}

// IsValid implements driver.Validator. The pool replaces a connection that has kept too many
// statements, such as those of searches for many uids.
func (c *preparingConn) IsValid() bool {
	return len(c.prepared) < mostPrepared && c.sqliteConn.IsValid()
}

// Close implements driver.Conn.
func (c *preparingConn) Close() (err error) {
	for _, stmt := range c.prepared {
		err = errors.Join(err, stmt.Close())
	}
	return errors.Join(err, c.sqliteConn.Close())
}
