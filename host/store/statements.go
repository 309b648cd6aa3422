package store

import (
	"context"
	"database/sql/driver"
	"errors"
)

// mostPrepared is how many statements a connection keeps.
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
// collect reads all rows of a query before it returns.
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
	if len(c.prepared) >= mostPrepared {
		if err := c.forget(); err != nil {
			return nil, err
		}
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	c.prepared[query] = stmt.(preparedStmt)
	return c.prepared[query], nil
}

func (c *preparingConn) forget() (err error) {
	for _, stmt := range c.prepared {
		err = errors.Join(err, stmt.Close())
	}
	clear(c.prepared)
	return err
}

// Close implements driver.Conn.
func (c *preparingConn) Close() error { return errors.Join(c.forget(), c.sqliteConn.Close()) }
