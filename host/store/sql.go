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

// pool is a set of connections and the statements prepared on them: preparing
// costs about as much as a short read. The texts of statements are constants of
// this package, so their number is small.
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

// QueryContext prepares the query the first time and runs it.
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

// list returns every row of a query, never nil.
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
	if err != nil || len(rows) == 0 {
		var none T
		return none, orNoRows(err)
	}
	return rows[0], nil
}

func orNoRows(err error) error {
	if err == nil {
		return sql.ErrNoRows
	}
	return err
}

func scanID(row scanner) (id int64, err error) {
	err = row.Scan(&id)
	return id, err
}

// transact runs do in one write transaction, which is committed if do returns nil.
func (s *Store) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.write.db.BeginTx(ctx, nil)
	if err != nil {
		return orUnavailable(err)
	}
	defer tx.Rollback() // nothing is left to undo after Commit
	if err := do(tx); err != nil {
		return orUnavailable(err)
	}
	return orUnavailable(tx.Commit())
}

// affected returns host.NotFound(what) if a statement changed no row.
func affected(result sql.Result, err error, what string) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return host.NotFound(what)
}

// orNotFound gives sql.ErrNoRows its name.
func orNotFound(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return host.NotFound(what)
	}
	return err
}

// orDuplicate gives the violation of a unique index its name.
func orDuplicate(err error, duplicate error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_UNIQUE || sqlState(err) == pgerrcode.UniqueViolation {
		return duplicate
	}
	return err
}

// orUnavailable says in a person's words that the database cannot do it now.
func orUnavailable(err error) error {
	text := ""
	switch {
	case isBusy(err):
		text = "the database is busy; try again in a moment"
	case isGone(err):
		text = "the database does not answer; try again in a moment"
	default:
		return err
	}
	return fmt.Errorf("%w (%w)", &host.Error{Category: host.ErrUnavailable, Message: text}, err)
}

// Page is a part of a list. The zero value is the first 1000.
type Page struct {
	Limit  int64 // most entries on a page; 0 or less is DefaultLimit
	Number int64 // from 1; 0 or less is 1
}

// DefaultLimit is the length of a page when none is given.
const DefaultLimit = 1000

// Length returns the most entries on the page.
func (p Page) Length() int64 {
	if p.Limit <= 0 {
		return DefaultLimit
	}
	return p.Limit
}

// bounds returns LIMIT and OFFSET; a page too far to count is an empty one.
func (p Page) bounds() (limit, offset int64) {
	limit, before := p.Length(), max(p.Number, 1)-1
	if before > (1<<62)/limit {
		return 0, 0
	}
	return limit, before * limit
}

// containing is the LIKE pattern, with ESCAPE '!', of what contains text; "" (no
// filter) stays "".
func containing(text string) string {
	if text == "" {
		return ""
	}
	return "%" + strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(text) + "%"
}
