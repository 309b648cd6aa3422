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
	markStep  = 4000             // playlists between marks, and about the most that a page skips
	mostLists = 100              // organizations with marks
	markLife  = 10 * time.Second // on a database that other hosts change
)

// marks are the keys at about every markStep in the lists of playlists, so that a page does
// not skip all playlists before it. They are found when a page needs them, and moved when
// this host creates, renames or deletes a playlist before them. Changes by other hosts are noticed
// after markLife: until then, a page can begin where it began before. The zero value is ready
// to use.
type marks struct {
	mu      sync.Mutex
	pending int   // changes that may have been committed, but have not moved the marks
	changes int64 // that have
	of      map[int64]*marked
}

// marked are the marks of an organization.
type marked struct {
	since time.Time
	list  []mark // sorted
}

type mark struct {
	key      playlistKey
	position int64
}

// playlistKey is the place of a playlist in the order of lists. The zero key is no place.
type playlistKey struct{ name, uid string }

func (k playlistKey) compare(other playlistKey) int {
	return cmp.Or(cmp.Compare(k.name, other.name), cmp.Compare(k.uid, other.uid))
}

// last returns the last mark at or before an offset, or the start of the list. The version
// is for add.
func (m *marks) last(org, offset int64, oldest time.Time) (last mark, version int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	version = m.changes
	if m.pending > 0 {
		version = -1 // what a read returns may already contain the change
	}
	marked := m.of[org]
	if marked == nil || marked.since.Before(oldest) {
		delete(m.of, org)
		return mark{}, version
	}
	for _, next := range marked.list {
		if next.position > offset {
			break
		}
		last = next
	}
	return last, version
}

// add adds a mark unless a playlist may have changed since.
func (m *marks) add(org int64, found mark, version int64, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if version != m.changes || m.pending > 0 {
		return
	}
	if m.of[org] == nil {
		if m.of == nil || len(m.of) >= mostLists {
			m.of = map[int64]*marked{}
		}
		m.of[org] = &marked{since: now}
	}
	list := &m.of[org].list
	at, exists := slices.BinarySearchFunc(*list, found, func(a, b mark) int { return cmp.Compare(a.position, b.position) })
	if !exists {
		*list = slices.Insert(*list, at, found)
	}
}

// begin must be called before a change.
func (m *marks) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending++
}

// end must be called after a change that moved a playlist from one place to another. If
// neither is known, it forgets the marks.
func (m *marks) end(org int64, from, to playlistKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending--
	m.changes++
	none := playlistKey{}
	if from == none && to == none {
		delete(m.of, org)
	}
	if marked := m.of[org]; marked != nil {
		for i, mark := range marked.list {
			if from != none && mark.key.compare(from) > 0 {
				marked.list[i].position--
			}
			if to != none && mark.key.compare(to) > 0 {
				marked.list[i].position++
			}
		}
	}
}

// allPlaylists returns a part of the list of all playlists.
func (s *Store) allPlaylists(ctx context.Context, org, limit, offset int64) ([]host.Playlist, error) {
	now := s.clock()
	oldest := time.Time{}
	if s.dialect.isShared {
		oldest = now.Add(-markLife)
	}
	start, version := s.marks.last(org, offset, oldest)
	for start.position+markStep <= offset {
		key, err := find(ctx, s.read, func(row scanner) (k playlistKey, err error) {
			err = row.Scan(&k.name, &k.uid)
			return k, err
		}, `SELECT name, uid FROM playlists WHERE org_id = $1 AND (name, uid) >= ($2, $3)
			ORDER BY name, uid LIMIT 1 OFFSET $4`, org, start.key.name, start.key.uid, markStep)
		if errors.Is(err, sql.ErrNoRows) {
			return []host.Playlist{}, nil
		}
		if err != nil {
			return nil, err
		}
		start = mark{key, start.position + markStep}
		s.marks.add(org, start, version, now)
	}
	return list(ctx, s.read, scanPlaylist(org), `SELECT uid, name, rotation FROM playlists WHERE org_id = $1 AND (name, uid) >= ($2, $3)
		ORDER BY name, uid LIMIT CAST($4 AS BIGINT) OFFSET $5`, org, start.key.name, start.key.uid, limit, offset-start.position)
}
