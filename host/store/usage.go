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
	usageStep  = time.Minute      // how exact the time of the last use is
	usageFlush = 30 * time.Second // between two writes of what was used
)

// usage remembers when tokens were last used, and writes that now and then: a request
// is no write. Uses of the last moments are lost with a process that is killed.
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

// note says that a token was used.
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

// latest is the later of a stored time and of what is remembered.
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

// putBack is for what could not be stored: the next write has it too.
func (u *usage) putBack(used map[int64]time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for token, at := range used {
		if at.After(u.pending[token]) {
			u.pending[token] = at
		}
	}
}

// keepUsage stores what was used until the store is closed, and then once more.
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
		for _, token := range slices.Sorted(maps.Keys(used)) { // in one order: another host may do the same
			if _, err := tx.ExecContext(ctx, update, used[token].UnixMilli(), token); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.usage.putBack(used)
		s.log.LogAttrs(ctx, slog.LevelWarn, "the last use of tokens was not stored", slog.Any("error", err))
	}
}
