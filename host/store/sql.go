package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

type pool struct {
	db      *sql.DB
	timeout time.Duration // of a read
}

// newPool returns a pool that Close closes.
func (s *Store) newPool(connector driver.Connector, size int) *pool {
	db := sql.OpenDB(connector)
	s.closers = append(s.closers, db.Close)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return &pool{db: db, timeout: s.timeout}
}

// QueryContext runs a query.
func (p *pool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return p.db.QueryContext(ctx, query, args...)
}

// querier is a *pool or a *sql.Tx.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanner reads the current row of a result.
type scanner interface{ Scan(dest ...any) error }

// list returns all rows of a query, never nil. Outside of a transaction, it has a deadline.
func list[T any](ctx context.Context, q querier, scan func(scanner) (T, error), query string, args ...any) (out []T, err error) {
	read := func(ctx context.Context) error {
		rows, err := q.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		out = []T{}
		for rows.Next() {
			row, err := scan(rows)
			if err != nil {
				return err
			}
			out = append(out, row)
		}
		return rows.Err()
	}
	if p, ok := q.(*pool); ok {
		err = within(ctx, p.timeout, read)
	} else {
		err = read(ctx)
	}
	return out, err
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

func exec(ctx context.Context, tx *sql.Tx, statement string, args ...any) error {
	_, err := tx.ExecContext(ctx, statement, args...)
	return err
}

// get is find, but without a row it returns host.NotFound.
func get[T any](ctx context.Context, q querier, what string, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	found, err := find(ctx, q, scan, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		err = host.NotFound(what)
	}
	return found, err
}

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

// transact runs do in a write transaction, with a deadline, and commits it if do returns nil.
func (s *Store) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	return within(ctx, s.timeout, func(ctx context.Context) error { return s.transaction(ctx, do) })
}

// transaction is transact without a deadline.
func (s *Store) transaction(ctx context.Context, do func(tx *sql.Tx) error) error {
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
}

// within runs do with a deadline. If the deadline passes, but not that of the caller, it
// returns host.ErrTimeout. Other errors of the database are explained.
func within(ctx context.Context, timeout time.Duration, do func(ctx context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := do(limited)
	if err == nil || ctx.Err() != nil || isExplained(err) {
		return err
	}
	if limited.Err() != nil || isSlow(err) {
		return because(host.ErrTimeout, fmt.Sprintf("the database did not respond within %s; try again later", timeout), err)
	}
	return explain(err)
}

// Page selects a part of a list, by default the first gate.DefaultPageLength entries.
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

// in appends values to the arguments of a query and returns a list of them, such as "($4, $5)",
// that IN can be followed by. Nothing is in an empty list.
func in[T any](args *[]any, values []T) string {
	if len(values) == 0 {
		return "(NULL)"
	}
	places := make([]string, len(values))
	for i, v := range values {
		*args = append(*args, v)
		places[i] = fmt.Sprintf("$%d", len(*args))
	}
	return "(" + strings.Join(places, ", ") + ")"
}

// checkQuota returns an error (host.ErrThrottled) if an organization has more than the maximum number of
// rows in a table, including the one with the given id, which was inserted last. what names the rows.
func checkQuota(ctx context.Context, tx *sql.Tx, org, id int64, table, what string, most int) error {
	if id <= int64(most) { // ids count up from 1, so there are at most as many rows
		return nil
	}
	rows, err := find(ctx, tx, scanOne[int], "SELECT COUNT(*) FROM "+table+" WHERE org_id = $1", org)
	if err == nil && rows > most {
		err = host.TooMany(what, most)
	}
	return err
}

// orDuplicate replaces the violation of a unique index with duplicate.
func orDuplicate(err error, duplicate error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_UNIQUE || sqlState(err) == uniqueViolation {
		return duplicate
	}
	return err
}

// now returns the time in the unit of time columns.
func (s *Store) now() int64 { return s.clock().UnixMilli() }

// timeColumn scans a time. NULL is the zero time, and 0 is long ago.
type timeColumn struct{ *time.Time }

// Scan implements sql.Scanner.
func (c timeColumn) Scan(column any) error {
	var ms sql.NullInt64
	err := ms.Scan(column)
	if *c.Time = (time.Time{}); ms.Valid {
		*c.Time = time.UnixMilli(ms.Int64)
	}
	return err
}

// columnOf returns a time for a column. The zero time is NULL.
func columnOf(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// roleColumn scans a role. NULL and an unknown role have no permissions.
type roleColumn struct{ *host.Role }

// Scan implements sql.Scanner.
func (c roleColumn) Scan(column any) error {
	var name sql.NullString
	err := name.Scan(column)
	*c.Role, _ = host.ParseRole(name.String)
	return err
}
