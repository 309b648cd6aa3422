package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgerrcode"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/slipway-dev/slipway/host"
)

// pool is a pool of connections with prepared statements: preparing one costs about as much
// as a short read. All statements are constants of this package, so there are few.
type pool struct {
	db *sql.DB

	mu       sync.RWMutex
	prepared map[string]*sql.Stmt
}

func newPool(connector driver.Connector, size int) *pool {
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &pool{db: db, prepared: make(map[string]*sql.Stmt)}
}

// QueryContext prepares a query when it is first used, and runs it.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	p.mu.RLock()
	stmt := p.prepared[query]
	p.mu.RUnlock()
	if stmt == nil {
		var err error
		if stmt, err = p.prepare(ctx, query); err != nil {
			return nil, orUnavailable(err)
		}
	}
	rows, err := stmt.QueryContext(ctx, args...)
	return rows, orUnavailable(err)
}

func (p *pool) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stmt := p.prepared[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := p.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.prepared[query] = stmt
	return stmt, nil
}

// querier is a *pool or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanner reads the current row of a result.
type scanner interface{ Scan(dest ...any) error }

// list returns all rows of a query, never nil.
func list[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
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

// transact runs do in a write transaction and commits it if do returns nil.
func (s *Store) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.write.db.BeginTx(ctx, nil)
	if err != nil {
		return orUnavailable(err)
	}
	defer tx.Rollback() // no effect after Commit
	if err := do(tx); err != nil {
		return orUnavailable(err)
	}
	return orUnavailable(tx.Commit())
}

// orNotFound replaces sql.ErrNoRows by host.NotFound.
func orNotFound(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return host.NotFound(what)
	}
	return err
}

// orDuplicate replaces the violation of a unique index by duplicate.
func orDuplicate(err error, duplicate error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_UNIQUE || sqlState(err) == pgerrcode.UniqueViolation {
		return duplicate
	}
	return err
}

// orUnavailable adds host.ErrUnavailable to errors that may disappear.
func orUnavailable(err error) error {
	text := ""
	switch {
	case isBusy(err):
		text = "the database is busy; try again later"
	case isGone(err):
		text = "the database does not respond; try again later"
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", &host.Error{Category: host.ErrUnavailable, Message: text}, err)
}

// Page selects a part of a list. The zero value is the first page of DefaultLimit entries.
type Page struct {
	Limit  int64 // entries per page; DefaultLimit if 0 or less
	Number int64 // from 1; 1 if 0 or less
}

// DefaultLimit is the default length of a page.
const DefaultLimit = 1000

// Length returns the maximum number of entries on the page.
func (p Page) Length() int64 {
	if p.Limit <= 0 {
		return DefaultLimit
	}
	return p.Limit
}

// bounds returns LIMIT and OFFSET. A page beyond the range of int64 is empty.
func (p Page) bounds() (limit, offset int64) {
	limit, before := p.Length(), max(p.Number, 1)-1
	if before > (1<<62)/limit {
		return 0, 0
	}
	return limit, before * limit
}

// containing returns the LIKE pattern, with ESCAPE '!', that matches texts that contain
// text. For "" it returns "", which means no filter.
func containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text) + "%"
}
