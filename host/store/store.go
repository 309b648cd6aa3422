package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// MainOrg is the organisation that exists from the first start.
const MainOrg int64 = 1

// Options say where the data is and what the store may use. The zero value is a
// store in a temporary folder that Close removes.
type Options struct {
	Path   string           // of the SQLite file; its folder is made if it is missing
	Clock  func() time.Time // time.Now if nil
	Rand   io.Reader        // safe for concurrent use; crypto/rand if nil
	Logger *slog.Logger     // no log if nil
}

// Store is an open database. Its methods may be called from many goroutines.
//
// SQLite allows one writer: all writes share one connection and wait for each
// other there, and not with retries at the file; reads have a pool of their own
// and, with a write-ahead log, wait for nobody.
type Store struct {
	write *pool
	read  *pool

	clock      func() time.Time
	random     io.Reader
	log        *slog.Logger
	identities *identities
	close      func() error
}

// Open opens the database, makes it if there is none, and brings its schema up to
// date. Several processes may open one file, also at once.
//
// An acknowledged write survives the death of the process. The write-ahead log is
// not synced at each commit (synchronous=NORMAL): a power failure can lose the
// last moments, but cannot corrupt the file.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{clock: o.Clock, random: o.Rand, log: o.Logger}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.identities = newIdentities()
	path, remove, err := makeFile(o.Path)
	if err != nil {
		return nil, err
	}
	if err := s.open(ctx, path, remove); err != nil {
		return nil, fmt.Errorf("open database %s: %w", cmp.Or(o.Path, "(temporary)"), err)
	}
	return s, nil
}

// open connects to the file and brings it up to date; on an error it leaves
// nothing open.
func (s *Store) open(ctx context.Context, path string, remove func() error) (err error) {
	if s.write, err = newPool(dataSource(path, "_txlock=immediate"), 1); err != nil {
		return err
	}
	if s.read, err = newPool(dataSource(path, "_pragma=query_only(1)"), readers()); err != nil {
		return err
	}
	s.close = sync.OnceValue(func() error { // the writer last: it folds the log into the file
		return errors.Join(s.read.db.Close(), s.write.db.Close(), remove())
	})
	if err = s.useWAL(ctx); err == nil {
		err = s.migrate(ctx)
	}
	if err != nil {
		return errors.Join(err, s.close())
	}
	return nil
}

// Close waits for running statements and closes the database. Calling it again
// returns the same error.
func (s *Store) Close() error { return s.close() }

// Ping returns nil if the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := find(ctx, s.read, scanID, "SELECT 1")
	return err
}

// readers is the size of the read pool. Reads are bound by the processor: measured
// on two of them, more connections than processors gain nothing and each has a
// page cache. A few more let a long read run beside short ones.
func readers() int { return max(4, runtime.GOMAXPROCS(0)) }

// makeFile makes the file for its owner alone, before SQLite would make it for
// everybody; its log files take over its mode. remove undoes a temporary one.
func makeFile(path string) (absolute string, remove func() error, err error) {
	remove = func() error { return nil }
	if path == "" {
		dir, err := os.MkdirTemp("", "slipway-store-")
		if err != nil {
			return "", nil, fmt.Errorf("make a temporary database: %w", err)
		}
		path, remove = filepath.Join(dir, "slipway.db"), func() error { return os.RemoveAll(dir) }
	}
	if absolute, err = filepath.Abs(path); err != nil {
		return "", nil, fmt.Errorf("open database %s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(absolute), 0o700); err != nil {
		return "", nil, fmt.Errorf("make the folder of the database: %w", err)
	}
	file, err := os.OpenFile(absolute, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return "", nil, fmt.Errorf("open database: %w", err)
	}
	return absolute, remove, file.Close()
}

// dataSource is the driver's name for the file, with one more option.
func dataSource(path, option string) string {
	path = filepath.ToSlash(path)
	if path[0] != '/' { // C:/...
		path = "/" + path
	}
	const options = "_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_pragma=synchronous(NORMAL)&"
	return (&url.URL{Scheme: "file", Path: path, RawQuery: options + option}).String()
}

// useWAL asks again while another process that starts now holds the file: SQLite
// does not wait by itself for this one change.
func (s *Store) useWAL(ctx context.Context) error {
	for deadline := time.Now().Add(10 * time.Second); ; {
		var mode string
		err := s.write.db.QueryRowContext(ctx, "PRAGMA journal_mode=WAL").Scan(&mode)
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return fmt.Errorf("the file system allows no write-ahead log (journal mode %s)", mode)
		case !isBusy(err) || time.Now().After(deadline):
			return err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// now is the clock in the unit of the time columns.
func (s *Store) now() int64 { return s.clock().UnixMilli() }

// timeOf turns a time column into a time; NULL is the zero time.
func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64)
}
