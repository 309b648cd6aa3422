package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const playlist = "Playlist"

// Playlists returns a page of the playlists whose name contains text, ignoring case, sorted
// by name and uid and without items. An empty text matches all.
func (s *Store) Playlists(ctx context.Context, org int64, text string, page Page) ([]host.Playlist, error) {
	limit, offset := page.bounds()
	if len(text) > 4*host.MaxNameLength { // in bytes: longer than any name
		return []host.Playlist{}, nil
	}
	if text == "" {
		return s.allPlaylists(ctx, org, limit, offset)
	}
	folded := host.Fold(text)
	rare, err := s.rareTrigramOf(ctx, folded)
	if err != nil {
		return nil, err
	}
	query, args := `SELECT uid, name, rotation FROM playlists WHERE org_id = $1 AND name_folded LIKE $4 ESCAPE '!'
		ORDER BY name, uid LIMIT CAST($2 AS BIGINT) OFFSET $3`, []any{org, limit, offset, containing(folded)}
	if rare != "" { // a CROSS JOIN, so that SQLite does not begin with all playlists
		query = `SELECT p.uid, p.name, p.rotation FROM playlist_trigrams t CROSS JOIN playlists p
			WHERE p.id = t.playlist_id AND p.org_id = $1 AND t.trigram = $5 AND p.name_folded LIKE $4 ESCAPE '!'
			ORDER BY p.name, p.uid LIMIT CAST($2 AS BIGINT) OFFSET $3`
		args = append(args, rare)
	}
	return list(ctx, s.read, scanPlaylist(org), query, args...)
}

func scanPlaylist(org int64) func(scanner) (host.Playlist, error) {
	return func(row scanner) (host.Playlist, error) {
		p := host.Playlist{OrgID: org}
		err := row.Scan(&p.UID, &p.Name, &p.Interval)
		return p, err
	}
}

// Playlist returns a playlist with its items.
func (s *Store) Playlist(ctx context.Context, org int64, uid string) (host.Playlist, error) {
	p := host.Playlist{UID: uid, OrgID: org, Items: []host.PlaylistItem{}}
	type item struct { // NULL for a playlist without items
		id, order          sql.NullInt64
		kind, value, title sql.NullString
	}
	// One statement, so that playlist and items belong to the same version.
	rows, err := list(ctx, s.read, func(row scanner) (i item, err error) {
		err = row.Scan(&p.Name, &p.Interval, &i.id, &i.kind, &i.value, &i.order, &i.title)
		return i, err
	}, `SELECT p.name, p.rotation, i.id, i.type, i.value, i.position, i.title
		FROM playlists p LEFT JOIN playlist_items i ON i.playlist_id = p.id
		WHERE p.org_id = $1 AND p.uid = $2 ORDER BY i.position`, org, uid)
	if err != nil {
		return host.Playlist{}, err
	}
	if len(rows) == 0 {
		return host.Playlist{}, host.NotFound(playlist)
	}
	for _, i := range rows {
		if i.id.Valid {
			p.Items = append(p.Items, host.PlaylistItem{ID: i.id.Int64, Type: host.ItemType(i.kind.String),
				Value: i.value.String, Order: int(i.order.Int64), Title: i.title.String})
		}
	}
	return p, nil
}

// countReferences returns the items of a playlist, each with the number of dashboards that
// it refers to. It counts those of a tag once, however many items have that tag. SQLite
// does not reorder a CROSS JOIN: it must not begin with all dashboards.
const countReferences = `SELECT i.type, i.value, i.position,
		CASE WHEN i.type = 'dashboard_by_tag' THEN COALESCE(c.n, 0) WHEN d.id IS NULL AND u.id IS NULL THEN 0 ELSE 1 END
	FROM playlist_items i
	LEFT JOIN (SELECT t.tag, COUNT(*) AS n FROM dashboard_tags t CROSS JOIN dashboards d
		WHERE d.id = t.dashboard_id AND d.org_id = $1 AND t.tag IN (SELECT value FROM playlist_items WHERE playlist_id = $2 AND type = 'dashboard_by_tag')
		GROUP BY t.tag) c ON i.type = 'dashboard_by_tag' AND c.tag = i.value
	LEFT JOIN dashboards d ON d.org_id = $1 AND d.id = CASE WHEN i.type = 'dashboard_by_id' THEN CAST(i.value AS BIGINT) END
	LEFT JOIN dashboards u ON i.type = 'dashboard_by_uid' AND u.org_id = $1 AND u.uid = i.value
	WHERE i.playlist_id = $2 ORDER BY i.position`

// resolveReferences returns the dashboards that the items at some positions refer to, once
// for equal items.
const resolveReferences = `WITH i AS (SELECT DISTINCT type, value FROM playlist_items WHERE playlist_id = $2 AND position BETWEEN $3 AND $4)
	SELECT i.type, i.value, d.id, d.title, d.uid, COALESCE(f.uid, '') FROM i
		JOIN dashboard_tags t ON t.tag = i.value JOIN dashboards d ON d.org_id = $1 AND d.id = t.dashboard_id
		LEFT JOIN folders f ON f.id = d.folder_id
		WHERE i.type = 'dashboard_by_tag'
	UNION ALL SELECT i.type, i.value, d.id, d.title, d.uid, COALESCE(f.uid, '') FROM i
		JOIN dashboards d ON d.org_id = $1 AND d.uid = i.value LEFT JOIN folders f ON f.id = d.folder_id WHERE i.type = 'dashboard_by_uid'
	UNION ALL SELECT i.type, i.value, d.id, d.title, d.uid, COALESCE(f.uid, '') FROM i
		JOIN dashboards d ON d.org_id = $1 AND d.id = CASE WHEN i.type = 'dashboard_by_id' THEN CAST(i.value AS BIGINT) END
		LEFT JOIN folders f ON f.id = d.folder_id
	ORDER BY 4, 3`

// reference is what an item of a playlist refers to.
type reference struct {
	kind  host.ItemType
	value string
}

// PlaylistDashboards returns a page of the dashboards that the items of a playlist refer
// to, in the order of the items and then by title. Its cost grows with the items and the
// page, not with the dashboards on all pages.
func (s *Store) PlaylistDashboards(ctx context.Context, org int64, uid string, page Page) ([]host.PlaylistDashboard, error) {
	end, err := s.beginLong(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	id, err := find(ctx, s.read, scanOne[int64], "SELECT id FROM playlists WHERE org_id = $1 AND uid = $2", org, uid)
	if err != nil {
		return nil, orNotFound(err, playlist)
	}
	type item struct {
		reference
		position, count int64
	}
	items, err := list(ctx, s.read, func(row scanner) (i item, err error) {
		err = row.Scan(&i.kind, &i.value, &i.position, &i.count)
		return i, err
	}, countReferences, org, id)
	if err != nil {
		return nil, err
	}
	limit, skip := page.bounds()
	for len(items) > 0 && items[0].count <= skip {
		skip -= items[0].count
		items = items[1:]
	}
	last, missing := 0, skip+limit
	for last < len(items) && missing > 0 {
		missing -= items[last].count
		last++
	}
	items = items[:last]
	out := []host.PlaylistDashboard{}
	if len(items) == 0 {
		return out, nil
	}
	dashboards := map[reference][]host.PlaylistDashboard{}
	if _, err := list(ctx, s.read, func(row scanner) (_ struct{}, err error) {
		var r reference
		var d host.PlaylistDashboard
		err = row.Scan(&r.kind, &r.value, &d.ID, &d.Title, &d.UID, &d.FolderUID)
		dashboards[r] = append(dashboards[r], d)
		return struct{}{}, err
	}, resolveReferences, org, id, items[0].position, items[last-1].position); err != nil {
		return nil, err
	}
	for _, i := range items {
		found := dashboards[i.reference]
		found = found[min(skip, int64(len(found))):] // of the first item, which the previous page may have begun
		skip = 0
		for _, d := range found[:min(int64(len(found)), limit-int64(len(out)))] {
			d.Order = int(i.position)
			out = append(out, d)
		}
	}
	return out, nil
}

// CreatePlaylist stores a playlist and returns it with its uid and the ids of its items.
// Names need not be unique.
func (s *Store) CreatePlaylist(ctx context.Context, org int64, p host.Playlist) (host.Playlist, error) {
	p, err := p.Normalize()
	if err != nil {
		return host.Playlist{}, err
	}
	p.OrgID = org
	if p.UID, err = host.NewUID(s.random); err != nil {
		return host.Playlist{}, fmt.Errorf("create playlist: %w", err)
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if err := s.checkQuota(ctx, tx, org, "playlists", "playlists", gate.MaxPlaylists); err != nil {
			return err
		}
		id, err := find(ctx, tx, scanOne[int64], `INSERT INTO playlists (org_id, uid, name, name_folded, rotation)
			VALUES ($1, $2, $3, $4, $5) RETURNING id`, org, p.UID, p.Name, host.Fold(p.Name), string(p.Interval))
		if err != nil {
			return err
		}
		if err := indexName(ctx, tx, id); err != nil {
			return err
		}
		return insertItems(ctx, tx, id, p.Items)
	})
	return p, err
}

// UpdatePlaylist replaces name, interval and items of the playlist with the uid of p. It
// returns the playlist with the new ids of its items.
func (s *Store) UpdatePlaylist(ctx context.Context, org int64, p host.Playlist) (host.Playlist, error) {
	p, err := p.Normalize()
	if err != nil {
		return host.Playlist{}, err
	}
	p.OrgID = org
	type row struct {
		id   int64
		name string
	}
	err = s.transact(ctx, func(tx *sql.Tx) error {
		old, err := find(ctx, tx, func(from scanner) (r row, err error) {
			err = from.Scan(&r.id, &r.name)
			return r, err
		}, "UPDATE playlists SET rotation = $1 WHERE org_id = $2 AND uid = $3 RETURNING id, name", string(p.Interval), org, p.UID)
		if err != nil {
			return orNotFound(err, playlist)
		}
		if old.name != p.Name {
			if _, err := tx.ExecContext(ctx, "UPDATE playlists SET name = $1, name_folded = $2 WHERE id = $3", p.Name, host.Fold(p.Name), old.id); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			"DELETE FROM playlist_items WHERE playlist_id = $1",
			"DELETE FROM playlist_trigrams WHERE playlist_id = $1",
		} {
			if _, err := tx.ExecContext(ctx, statement, old.id); err != nil {
				return err
			}
		}
		if err := indexName(ctx, tx, old.id); err != nil {
			return err
		}
		return insertItems(ctx, tx, old.id, p.Items)
	})
	return p, err
}

// DeletePlaylist deletes a playlist and its items.
func (s *Store) DeletePlaylist(ctx context.Context, org int64, uid string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		_, err := find(ctx, tx, scanOne[int64], "DELETE FROM playlists WHERE org_id = $1 AND uid = $2 RETURNING id", org, uid)
		return orNotFound(err, playlist)
	})
}

// insertItems stores items and sets their ids.
func insertItems(ctx context.Context, tx *sql.Tx, playlistID int64, items []host.PlaylistItem) (err error) {
	for i := range items {
		item := &items[i]
		if item.ID, err = find(ctx, tx, scanOne[int64], `INSERT INTO playlist_items (playlist_id, position, type, value, title)
			VALUES ($1, $2, $3, $4, $5) RETURNING id`, playlistID, item.Order, string(item.Type), item.Value, item.Title); err != nil {
			return err
		}
	}
	return nil
}
