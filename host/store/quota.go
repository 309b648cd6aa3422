package store

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

// quotaMemory is how long a count of rows is used. Other hosts on the database can exceed
// a quota by what they create in this time.
const quotaMemory = time.Minute

// quotas bound the rows of an organization in a table. The zero value is ready to use.
// They do not count for each new row: that would make it cost as much as all others.
type quotas struct {
	mu    sync.Mutex
	known map[quota]counted
}

type quota struct {
	table string
	org   int64
}

type counted struct {
	rows int64 // at the time of the count, and those created since
	at   time.Time
}

// checkQuota returns an error (host.ErrThrottled) if an organization has the maximum
// number of rows in a table. what names the rows in the message.
func (s *Store) checkQuota(ctx context.Context, tx *sql.Tx, org int64, table, what string, most int64) error {
	key, now := quota{table, org}, s.clock()
	if s.quotas.use(key, now, most) {
		return nil
	}
	rows, err := find(ctx, tx, scanOne[int64], "SELECT COUNT(*) FROM "+table+" WHERE org_id = $1", org)
	if err != nil {
		return err
	}
	if rows >= most {
		return host.TooMany(what, int(most))
	}
	s.quotas.set(key, counted{rows + 1, now})
	return nil
}

// use counts a new row and reports true if the last count is recent and leaves room for
// it.
func (q *quotas) use(key quota, now time.Time, most int64) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	last := q.known[key]
	if last.rows >= most || now.Sub(last.at) > quotaMemory {
		return false
	}
	last.rows++
	q.known[key] = last
	return true
}

func (q *quotas) set(key quota, c counted) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.known == nil {
		q.known = map[quota]counted{}
	}
	q.known[key] = c
}
