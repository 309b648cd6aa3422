package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// MainOrg is the organisation that exists from the first start.
const MainOrg int64 = 1

// Options say where the data is and what the store may use. The zero value is a
// store in a temporary folder that Close removes.
type Options struct {
	Database string           // a SQLite file, made with its folder if missing, or a postgres:// URL
	Clock    func() time.Time // time.Now if nil
	Rand     io.Reader        // safe for concurrent use; crypto/rand if nil
	Logger   *slog.Logger     // no log if nil
	Key      []byte           // encrypts secrets, host.KeyLength bytes; without it none can be stored
}

// Store is an open database. Its methods may be called from many goroutines.
type Store struct {
	write   *pool
	read    *pool
	dialect dialect

	clock      func() time.Time
	random     io.Reader
	log        *slog.Logger
	identities *identities
	usage      *usage
	box        *host.Box // nil without a key
	close      func() error
}

// dialect is what the two databases do differently.
type dialect struct {
	isShared bool              // several hosts may write
	schema   *strings.Replacer // writes a migration in the words of the database
}

// IsShared says whether several hosts can share a database with this name: whether
// it is the URL of a PostgreSQL server.
func IsShared(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// Open opens the database, makes a SQLite file if there is none, and brings the
// schema up to date. Several processes may open one database, also at once.
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
		return nil, err
	}
	s.identities, s.usage = newIdentities(s.dialect.isShared), newUsage()
	go s.keepUsage()
	database := s.close
	s.close = sync.OnceValue(func() error {
		close(s.usage.stop)
		<-s.usage.done
		return database()
	})
	return s, nil
}

// Close waits for running statements and closes the database. Calling it again
// returns the same error.
func (s *Store) Close() error { return s.close() }

// Ping returns nil if the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := find(ctx, s.read, scanID, "SELECT 1")
	return err
}

// readers is the number of connections for reading. Reads of SQLite are bound by
// the processor: measured on two of them, more connections than processors gain
// nothing and each has a page cache. A few more let a long read run beside short
// ones.
func readers() int { return max(4, runtime.GOMAXPROCS(0)) }

// now is the clock in the unit of the time columns.
func (s *Store) now() int64 { return s.clock().UnixMilli() }

// timeOf turns a time column into a time; NULL is the zero time.
func timeOf(ms sql.NullInt64) time.Time {
	if !ms.Valid {
		return time.Time{}
	}
	return time.UnixMilli(ms.Int64)
}
