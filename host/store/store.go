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
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// MainOrg is the id of the organization that the first start creates.
const MainOrg int64 = 1

// Options configure a Store. The zero value opens a temporary database that Close removes.
type Options struct {
	Database   string           // SQLite file, created if it does not exist, or postgres:// URL
	Clock      func() time.Time // time.Now if nil
	Rand       io.Reader        // safe for concurrent use; crypto/rand if nil
	Logger     *slog.Logger     // no log if nil
	AuditLevel slog.Level       // of audit records in the log; Info if 0
	Key        []byte           // encrypts secrets, host.KeyLength bytes; if nil, no secrets can be stored
	Timeout    time.Duration    // of a read or a transaction; DefaultTimeout if 0
}

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 10 * time.Second

// pingTimeout is how long Ping waits for the database.
const pingTimeout = 2 * time.Second

// Store is an open database. It is safe for concurrent use.
type Store struct {
	write   *pool
	read    *pool
	dialect dialect

	clock      func() time.Time
	random     io.Reader
	log        *slog.Logger
	auditLevel slog.Level
	timeout    time.Duration
	box        *host.Box      // nil if there is no key
	closers    []func() error // run by Close, last one first
	close      func() error

	credentials atomic.Pointer[sync.Map] // *credential by digest
}

// dialect holds the differences between the databases.
type dialect struct {
	isShared bool              // whether other hosts may write to it
	schema   *strings.Replacer // translates migrations
}

// IsShared reports whether several hosts can share a database, that is, whether it is the
// URL of a PostgreSQL server.
func IsShared(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// Open opens the database and migrates its schema. Several processes may open the same
// database, even at the same time.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{clock: o.Clock, random: o.Rand, log: o.Logger, auditLevel: o.AuditLevel, timeout: cmp.Or(o.Timeout, DefaultTimeout)}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.random == nil {
		s.random = rand.Reader
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.credentials.Store(new(sync.Map))
	s.close = sync.OnceValue(func() (err error) {
		for _, f := range slices.Backward(s.closers) {
			err = errors.Join(err, f())
		}
		return err
	})
	var err error
	if o.Key != nil {
		if s.box, err = host.NewBox(o.Key, s.random); err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
	}
	if IsShared(o.Database) {
		err = s.openPostgres(ctx, o.Database)
	} else {
		err = s.openSQLite(ctx, o.Database)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close waits for running statements and closes the database. Calling it again returns
// the same error.
func (s *Store) Close() error { return s.close() }

// Ping checks within two seconds that the database responds. It reads a table.
func (s *Store) Ping(ctx context.Context) error {
	return within(ctx, min(pingTimeout, s.timeout), func(ctx context.Context) error {
		_, err := find(ctx, s.read, scanOne[int64], "SELECT COUNT(*) FROM orgs")
		return err
	})
}

// readers returns the number of connections for reading. Reads of SQLite are CPU-bound:
// more connections than processors gain nothing, and each has its own page cache. A few
// more let a long read run alongside short ones.
func readers() int { return max(4, runtime.GOMAXPROCS(0)) }

// now returns the time in the unit of time columns.
func (s *Store) now() int64 { return s.clock().UnixMilli() }

// timeOf converts a time column to a time. NULL is the zero time.
func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64)
}
