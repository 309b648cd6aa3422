package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/slipway-dev/slipway/host"
)

const (
	markStep  = 4000             // playlists between marks, and the most that a page skips
	mostLists = 100              // organizations with marks
	markLife  = 10 * time.Second // on a database that other hosts change
)

// marks are the keys at every markStep in the lists of playlists, so that a page does not
// skip all playlists before it. They are found when a page needs them and forgotten when a
// playlist before them changes. Changes by other hosts are noticed after markLife: until
// then, a page can begin where it began before. The zero value is ready to use.
type marks struct {
	mu      sync.Mutex
	changes int64
	of      map[int64]*marked // by organization
}

type marked struct {
	since time.Time
	keys  []playlistKey // at markStep, 2*markStep, and so on
}

// playlistKey is the position of a playlist in the order of lists.
type playlistKey struct{ name, uid string }

// last returns the last mark at or before an offset, and its position, which is 0 for the
// start of the list. The changes are for add.
func (m *marks) last(org, offset int64, oldest time.Time) (key playlistKey, position, changes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.of[org]
	if list == nil || list.since.Before(oldest) {
		delete(m.of, org)
		return playlistKey{}, 0, m.changes
	}
	n := min(offset/markStep, int64(len(list.keys)))
	if n == 0 {
		return playlistKey{}, 0, m.changes
	}
	return list.keys[n-1], n * markStep, m.changes
}

// add adds the mark at a position unless a playlist has changed since.
func (m *marks) add(org int64, key playlistKey, position, changes int64, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if changes != m.changes {
		return
	}
	list := m.of[org]
	if list == nil {
		if m.of == nil || len(m.of) >= mostLists {
			m.of = map[int64]*marked{}
		}
		list = &marked{since: now}
		m.of[org] = list
	}
	if int64(len(list.keys)) == position/markStep-1 { // others may have added it
		list.keys = append(list.keys, key)
	}
}

// forget removes the marks after the position of a playlist that was created or deleted, or
// all if it is the zero key. It must be called after the change has been committed.
func (m *marks) forget(org int64, changed playlistKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
	if list := m.of[org]; list != nil {
		list.keys = slices.DeleteFunc(list.keys, func(key playlistKey) bool {
			return cmp.Or(cmp.Compare(key.name, changed.name), cmp.Compare(key.uid, changed.uid)) > 0
		})
	}
}

// allPlaylists returns a part of the list of all playlists.
func (s *Store) allPlaylists(ctx context.Context, org, limit, offset int64) ([]host.Playlist, error) {
	now := s.clock()
	oldest := time.Time{}
	if s.dialect.isShared {
		oldest = now.Add(-markLife)
	}
	key, position, changes := s.marks.last(org, offset, oldest)
	for position+markStep <= offset {
		var err error
		key, err = find(ctx, s.read, func(row scanner) (k playlistKey, err error) {
			err = row.Scan(&k.name, &k.uid)
			return k, err
		}, `SELECT name, uid FROM playlists WHERE org_id = $1 AND (name, uid) >= ($2, $3)
			ORDER BY name, uid LIMIT 1 OFFSET $4`, org, key.name, key.uid, markStep)
		if errors.Is(err, sql.ErrNoRows) {
			return []host.Playlist{}, nil
		}
		if err != nil {
			return nil, err
		}
		position += markStep
		s.marks.add(org, key, position, changes, now)
	}
	return list(ctx, s.read, scanPlaylist(org), `SELECT uid, name, rotation FROM playlists WHERE org_id = $1 AND (name, uid) >= ($2, $3)
		ORDER BY name, uid LIMIT $4 OFFSET $5`, org, key.name, key.uid, limit, offset-position)
}
