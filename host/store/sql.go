package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

// pool is a pool of connections.
type pool struct {
	db      *sql.DB
	size    int           // maximum number of connections
	timeout time.Duration // of a read
	file    *databaseFile // nil for PostgreSQL
}

func (s *Store) newPool(connector driver.Connector, size int) *pool {
	if s.wrap != nil {
		connector = s.wrap(connector)
	}
	if !s.dialect.isShared {
		connector = preparing{connector}
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &pool{db: db, size: size, timeout: s.timeout, file: s.file}
}

// dropIdle closes the idle connections: if the server ended one, it ended all.
func (p *pool) dropIdle() {
	p.db.SetMaxIdleConns(0)
	p.db.SetMaxIdleConns(p.size)
}

// QueryContext runs a query.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.db.QueryContext(ctx, query, args...)
}

// mostLong returns how many long reads may run at the same time, so that others
// find a connection and, since SQLite reads in this process, a processor.
func (s *Store) mostLong() int64 {
	if s.dialect.isShared {
		return int64(s.read.size / 2)
	}
	return int64(max(1, min(s.read.size, runtime.GOMAXPROCS(0))/2))
}

// beginLong waits until a long read may run. The caller calls end after the
// read.
func (s *Store) beginLong(ctx context.Context) (end func(), err error) {
	err = within(ctx, s.timeout, func(ctx context.Context) error { return s.long.Acquire(ctx, 1) })
	return func() { s.long.Release(1) }, err
}

// querier is a *pool or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanner reads the current row of a result.
type scanner interface{ Scan(dest ...any) error }

// list returns all rows of a query, never nil. Outside of a transaction, it has a deadline,
// and if the connection to the database is lost, it runs the query again, which only reads.
// It returns no empty result from a file that was replaced: callers with valid tokens would
// be told that the tokens are invalid.
func list[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) (out []T, err error) {
	p, ok := q.(*pool)
	if !ok {
		return collect(ctx, q, scan, query, args...)
	}
	err = within(ctx, p.timeout, func(ctx context.Context) error {
		out, err = collect(ctx, q, scan, query, args...)
		if isCut(err) && !isSlow(err) && ctx.Err() == nil {
			p.dropIdle()
			out, err = collect(ctx, q, scan, query, args...)
		}
		if err == nil && len(out) == 0 {
			err = p.file.check()
		}
		return err
	})
	return out, err
}

func collect[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := []T{}
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// find returns the first row of a query, or sql.ErrNoRows.
func find[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	rows, err := list(ctx, q, scan, query, args...)
	if err == nil && len(rows) == 0 {
		err = sql.ErrNoRows
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return rows[0], nil
}

// scanOne scans a row of one column.
func scanOne[T any](row scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// newline separates the names that string_agg joins, which contain no control characters.
const newline = "'\n'"

// lines returns the names that string_agg joined.
func lines(joined string) []string {
	if joined == "" {
		return []string{}
	}
	return strings.Split(joined, "\n")
}

// transact runs do in a write transaction and commits it if do returns nil. The deadline
// of the store applies to the whole transaction, and on PostgreSQL also to each statement.
func (s *Store) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	if err := s.file.check(); err != nil {
		return err
	}
	err := within(ctx, s.timeout, func(ctx context.Context) error {
		var tx *sql.Tx
		err := whileBusy(ctx, func() (err error) {
			tx, err = s.write.db.BeginTx(ctx, nil)
			return err
		})
		if err != nil {
			return err
		}
		defer tx.Rollback() // no effect after Commit
		if err := do(tx); err != nil {
			return err
		}
		return tx.Commit()
	})
	if isFull := errors.Is(err, host.ErrFull); isFull || err == nil {
		s.isFull.Store(isFull)
	}
	return err
}

// Page selects a part of a list. The zero value is the first page of
// gate.DefaultPageLength entries.
type Page struct {
	Limit  int64 // entries per page, at most gate.MaxPageLength; gate.DefaultPageLength if 0 or less
	Number int64 // from 1; 1 if 0 or less
}

// Length returns the maximum number of entries on the page.
func (p Page) Length() int64 {
	if p.Limit <= 0 {
		return gate.DefaultPageLength
	}
	return min(p.Limit, gate.MaxPageLength)
}

// bounds returns LIMIT and OFFSET. A page beyond the range of int64 is empty.
func (p Page) bounds() (limit, offset int64) {
	limit, before := p.Length(), max(p.Number, 1)-1
	if before > (1<<62)/limit {
		return 0, 0
	}
	return limit, before * limit
}

// Cut returns the page of a list that is in memory.
func Cut[T any](all []T, p Page) []T {
	limit, offset := p.bounds()
	from := min(offset, int64(len(all)))
	return all[from:min(from+limit, int64(len(all)))]
}

// containing returns the LIKE pattern, with ESCAPE '!', that matches strings that contain
// text. For "" it returns "", which means no filter.
func containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text) + "%"
}
