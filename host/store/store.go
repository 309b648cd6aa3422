// Package store keeps the data of the reference host in SQL: in a SQLite file or on a
// PostgreSQL server, with the same statements.
//
// It contains the schema and its migrations, all transactions, and the rules that span
// rows: unique names, reconciled plugin accounts, and credentials that are revoked
// immediately. Its errors have the categories of package host, and it does not know
// HTTP. It is the only package that imports database/sql.
package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Logger     *slog.Logger     // no log if nil
	AuditLevel slog.Level       // of audit records in the log; Info if 0
	Key        []byte           // encrypts secrets, host.KeyLength bytes; if nil, no secrets can be stored
	Timeout    time.Duration    // of a read or a transaction; 10 s if 0
}

const pingTimeout = 2 * time.Second

// Store is an open database. It is safe for concurrent use.
type Store struct {
	write    *pool
	read     *pool
	isShared bool              // whether other hosts may write to the database
	schema   *strings.Replacer // translates migrations for it

	clock      func() time.Time
	log        *slog.Logger
	auditLevel slog.Level
	timeout    time.Duration
	box        *host.Box      // nil if there is no key
	closers    []func() error // run by Close, last one first
	close      func() error

	credentials atomic.Pointer[sync.Map] // *credential by digest
}

// IsShared reports whether several hosts can share a database: it is the URL of a PostgreSQL server.
func IsShared(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// Open opens the database and migrates its schema. Other processes may open it at the same time.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{clock: o.Clock, log: o.Logger, auditLevel: o.AuditLevel, timeout: cmp.Or(o.Timeout, 10*time.Second)}
	if s.clock == nil {
		s.clock = time.Now
	}
	s.log = cmp.Or(s.log, slog.New(slog.DiscardHandler))
	s.credentials.Store(new(sync.Map))
	s.close = sync.OnceValue(func() (err error) {
		for _, f := range slices.Backward(s.closers) {
			err = errors.Join(err, f())
		}
		return err
	})
	var err error
	if o.Key != nil {
		if s.box, err = host.NewBox(o.Key); err != nil {
			return nil, fmt.Errorf("open database: %w", err)
		}
	}
	if IsShared(o.Database) {
		err = s.openPostgres(ctx, o.Database)
	} else {
		err = s.openSQLite(ctx, o.Database)
	}
	if err == nil {
		err = s.checkKey(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close waits for statements and closes the database. Calling it again returns the same error.
func (s *Store) Close() error { return s.close() }

// Ping checks within two seconds that the database responds. It reads a table.
func (s *Store) Ping(ctx context.Context) error {
	return within(ctx, min(pingTimeout, s.timeout), func(ctx context.Context) error {
		_, err := find(ctx, s.read, scanOne[int64], "SELECT COUNT(*) FROM orgs")
		return err
	})
}

// readers returns the number of connections for reading. Reads of SQLite are CPU-bound, and each
// connection has its own page cache; a few more let a long read run alongside short ones.
func readers() int { return max(4, runtime.GOMAXPROCS(0)) }

// audit logs a change of credentials or settings and who made it, if it succeeded.
// The log has requests that fail in any case. Secrets are never logged.
func (s *Store) audit(ctx context.Context, err error, by host.Identity, event string, what ...slog.Attr) {
	if err != nil {
		return
	}
	s.log.LogAttrs(ctx, s.auditLevel, "audit", append([]slog.Attr{slog.String("event", event), slog.Int64("org", by.OrgID),
		slog.String("by_kind", string(by.Kind)), slog.String("by_login", by.Login), slog.Int64("by_id", by.ID)}, what...)...)
}
