package store

import (
	"context"
	"database/sql"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"
)

const (
	usageStep  = time.Minute      // precision of the time of the last use
	usageFlush = 30 * time.Second // between writes
)

// usage records when tokens were last used and stores that periodically, so that requests
// do not write. If the process is killed, the most recent uses are lost.
type usage struct {
	mu      sync.RWMutex
	byToken map[int64]time.Time
	pending map[int64]time.Time // not yet stored

	stop chan struct{}
	done chan struct{}
}

func newUsage() *usage {
	return &usage{byToken: map[int64]time.Time{}, pending: map[int64]time.Time{},
		stop: make(chan struct{}), done: make(chan struct{})}
}

// note records the use of a token.
func (u *usage) note(token int64, now time.Time) {
	u.mu.RLock()
	last := u.byToken[token]
	u.mu.RUnlock()
	if age := now.Sub(last); age >= 0 && age < usageStep {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.byToken) >= mostIdentities {
		clear(u.byToken)
	}
	u.byToken[token], u.pending[token] = now, now
}

// latest returns the later of the stored and the recorded time.
func (u *usage) latest(token int64, stored time.Time) time.Time {
	u.mu.RLock()
	defer u.mu.RUnlock()
	if last := u.byToken[token]; last.After(stored) {
		return last
	}
	return stored
}

func (u *usage) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := maps.Clone(u.pending)
	clear(u.pending)
	return taken
}

// putBack returns uses that could not be stored, for the next write.
func (u *usage) putBack(used map[int64]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for token, at := range used {
		if at.After(u.pending[token]) {
			u.pending[token] = at
		}
	}
}

// keepUsage stores uses until the store is closed.
func (s *Store) keepUsage() {
	defer close(s.usage.done)
	tick := time.NewTicker(usageFlush)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.flushUsage()
		case <-s.usage.stop:
			s.flushUsage()
			return
		}
	}
}

func (s *Store) flushUsage() {
	ctx, cancel := context.WithTimeout(context.Background(), usageFlush)
	defer cancel()
	used := s.usage.take()
	if len(used) == 0 {
		return
	}
	err := s.transact(ctx, func(tx *sql.Tx) error {
		const update = "UPDATE tokens SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $1)"
		for _, token := range slices.Sorted(maps.Keys(used)) { // sorted, to avoid deadlocks with other hosts
			if _, err := tx.ExecContext(ctx, update, used[token].UnixMilli(), token); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.usage.putBack(used)
		s.log.LogAttrs(ctx, slog.LevelWarn, "could not store the last use of tokens", slog.Any("error", err))
	}
}
