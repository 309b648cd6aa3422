package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/slipway-dev/slipway/host"
)

// explain adds a category and a reason to errors that are not caused by the statement.
func explain(err error) error {
	switch {
	case err == nil, isExplained(err):
		return err
	case isFull(err):
		return because(host.ErrFull, "the database cannot grow: the disk is full, a quota is used up or the disk is failing; "+
			"free space, then try again", err)
	case isBusy(err):
		return because(host.ErrUnavailable, "the database is busy; try again later", err)
	case isGone(err):
		return because(host.ErrUnavailable, "the database does not respond; try again later", err)
	case isDamaged(err):
		return because(host.ErrUnavailable, "the database cannot be read: the file is damaged, deleted or replaced, or the disk is failing; "+
			"stop the host, restore the database, then start the host", err)
	}
	return err
}

func because(category error, message string, err error) error {
	return fmt.Errorf("%w (%w)", &host.Error{Category: category, Message: message}, err)
}

func isExplained(err error) bool {
	_, ok := errors.AsType[*host.Error](err)
	return ok
}

func isSlow(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err) || sqlState(err) == queryCanceled ||
		code(err)&0xff == sqlite3.SQLITE_INTERRUPT
}

// isFull reports whether a file could not grow. To SQLite, an exhausted quota is a write error.
func isFull(err error) bool {
	switch code(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return sqlState(err) == diskFull
}

func isDamaged(err error) bool {
	switch code(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return true
	}
	return strings.HasPrefix(sqlState(err), systemError)
}
