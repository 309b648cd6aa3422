package store_test

import (
	"context"
	"database/sql/driver"
	"slices"
	"sync"
)

// recorder collects the statements that the tests run, with arguments of one run.
type recorder struct {
	mu         sync.Mutex
	statements map[string][]any
	prepared   int // statements
	open       int // of these, not closed
	read       int // bytes of text in results
	ran        int // statements
}

func (r *recorder) notePrepared(prepared, open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prepared += prepared
	r.open += open
}

func (r *recorder) noteRead(bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read += bytes
}

func (r *recorder) bytesRead() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read
}

func (r *recorder) statementsRan() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ran
}

func (r *recorder) note(query string, args []driver.NamedValue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ran++
	if _, isKnown := r.statements[query]; isKnown && len(args) == 0 {
		return
	}
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	r.statements[query] = values
}

// recorded is what all tests of the package share.
var recorded = recorder{statements: map[string][]any{}}

func (r *recorder) wrap(c driver.Connector) driver.Connector { return connector{c, r} }

type connector struct {
	driver.Connector
	to *recorder
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{inner.(fullConn), c.to}, nil
}

// fullConn are the interfaces that both drivers implement.
type fullConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
}

type conn struct {
	fullConn
	to *recorder
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.to.note(query, args)
	return c.fullConn.ExecContext(ctx, query, slices.Clone(args))
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.to.note(query, args)
	return c.to.count(c.fullConn.QueryContext(ctx, query, slices.Clone(args)))
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	inner, err := c.fullConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.to.notePrepared(1, 1)
	return &stmt{inner, query, c.to}, nil
}

// CheckNamedValue leaves the arguments to the driver if it converts them itself.
func (c *conn) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.fullConn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

// IsValid reports whether the driver would use the connection again.
func (c *conn) IsValid() bool {
	v, ok := c.fullConn.(driver.Validator)
	return !ok || v.IsValid()
}

type stmt struct {
	driver.Stmt
	query string
	to    *recorder
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	s.to.note(s.query, args)
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	s.to.note(s.query, args)
	return s.to.count(s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args))
}

func (s *stmt) Close() error {
	s.to.notePrepared(0, -1)
	return s.Stmt.Close()
}

// rows counts the bytes of text that are read.
type rows struct {
	driver.Rows
	to *recorder
}

func (r *recorder) count(inner driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		return nil, err
	}
	return rows{inner, r}, nil
}

func (r rows) Next(to []driver.Value) error {
	err := r.Rows.Next(to)
	for _, value := range to {
		if text, isText := value.(string); isText && err == nil {
			r.to.noteRead(len(text))
		}
	}
	return err
}
