package store

import (
	"context"
	"database/sql"
	"strconv"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

const playlist = "Playlist"

// Playlists returns a page of the playlists whose name contains text, ignoring case, sorted
// by name and uid, without OrgID and Items. An empty text matches all.
func (s *Store) Playlists(ctx context.Context, org int64, text string, page Page) ([]hostapi.Playlist, error) {
	limit, offset := page.bounds()
	if len(text) > 4*host.MaxNameLength { // in bytes: longer than any name
		return []hostapi.Playlist{}, nil
	}
	where, args := "", []any{org, limit, offset}
	if text != "" {
		where, args = "AND name_folded LIKE $4 ESCAPE '!'", append(args, containing(host.Fold(text)))
	}
	return list(ctx, s.read, scanPlaylist, `SELECT uid, name, rotation FROM playlists WHERE org_id = $1 `+where+`
		ORDER BY name, uid LIMIT CAST($2 AS BIGINT) OFFSET $3`, args...)
}

func scanPlaylist(row scanner) (p hostapi.Playlist, err error) {
	err = row.Scan(&p.UID, &p.Name, &p.Interval)
	return p, err
}

// Playlist returns a playlist with its items.
func (s *Store) Playlist(ctx context.Context, org int64, uid string) (hostapi.Playlist, error) {
	p := hostapi.Playlist{UID: uid, OrgID: strconv.FormatInt(org, 10), Items: []hostapi.PlaylistItem{}}
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
		return hostapi.Playlist{}, err
	}
	if len(rows) == 0 {
		return hostapi.Playlist{}, host.NotFound(playlist)
	}
	for _, i := range rows {
		if i.id.Valid {
			p.Items = append(p.Items, hostapi.PlaylistItem{ID: i.id.Int64, PlaylistUID: uid, Type: i.kind.String,
				Value: i.value.String, Order: float64(i.order.Int64), Title: i.title.String})
		}
	}
	return p, nil
}

// selectReferences selects the dashboards d that the items i of a playlist refer to.
const selectReferences = `SELECT i.position, d.id, d.title, d.uid, d.folder_id FROM playlist_items i JOIN dashboards d `

// PlaylistDashboard is a dashboard that an item refers to.
type PlaylistDashboard struct {
	ID         int64
	UID, Title string
	FolderUID  string // "" if it is in no folder
	Order      int    // of the item
}

// PlaylistDashboards returns a page of the dashboards that the items of a playlist refer
// to, in the order of the items and then by title.
func (s *Store) PlaylistDashboards(ctx context.Context, org int64, uid string, page Page) ([]PlaylistDashboard, error) {
	id, err := get(ctx, s.read, playlist, scanOne[int64], "SELECT id FROM playlists WHERE org_id = $1 AND uid = $2", org, uid)
	if err != nil {
		return nil, err
	}
	limit, offset := page.bounds()
	return list(ctx, s.read, func(row scanner) (d PlaylistDashboard, err error) {
		err = row.Scan(&d.Order, &d.ID, &d.Title, &d.UID, &d.FolderUID)
		return d, err
	}, `SELECT r.position, r.id, r.title, r.uid, COALESCE(f.uid, '') FROM (
		`+selectReferences+`ON d.org_id = $1 AND d.uid = i.value WHERE i.playlist_id = $2 AND i.type = 'dashboard_by_uid'
		UNION ALL `+selectReferences+`ON d.org_id = $1 AND d.id = CASE WHEN i.type = 'dashboard_by_id' THEN CAST(i.value AS BIGINT) END WHERE i.playlist_id = $2
		UNION ALL `+selectReferences+`ON d.org_id = $1 JOIN dashboard_tags t ON t.dashboard_id = d.id AND t.tag = i.value
			WHERE i.playlist_id = $2 AND i.type = 'dashboard_by_tag') r
		LEFT JOIN folders f ON f.id = r.folder_id ORDER BY r.position, r.title, r.id LIMIT CAST($3 AS BIGINT) OFFSET $4`, org, id, limit, offset)
}

// Statements that store a playlist and return its id.
const (
	insertPlaylist = "INSERT INTO playlists (org_id, uid, name, name_folded, rotation) VALUES ($1, $2, $3, $4, $5) RETURNING id"
	updatePlaylist = "UPDATE playlists SET name = $3, name_folded = $4, rotation = $5 WHERE org_id = $1 AND uid = $2 RETURNING id"
	upsertPlaylist = `INSERT INTO playlists (org_id, uid, name, name_folded, rotation) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (org_id, uid) DO UPDATE SET name = excluded.name, name_folded = excluded.name_folded, rotation = excluded.rotation RETURNING id`
)

// CreatePlaylist stores a playlist, whose name need not be unique, and returns it with uid and ids.
func (s *Store) CreatePlaylist(ctx context.Context, org int64, p hostapi.Playlist) (hostapi.Playlist, error) {
	p.UID = host.NewUID()
	return s.storePlaylist(ctx, org, p, insertPlaylist)
}

// UpdatePlaylist replaces the playlist with the uid of p, and returns it with the new ids of its items.
func (s *Store) UpdatePlaylist(ctx context.Context, org int64, p hostapi.Playlist) (hostapi.Playlist, error) {
	return s.storePlaylist(ctx, org, p, updatePlaylist)
}

// PutPlaylist is UpdatePlaylist, but stores a playlist whose uid is new.
func (s *Store) PutPlaylist(ctx context.Context, org int64, p hostapi.Playlist) (hostapi.Playlist, error) {
	return s.storePlaylist(ctx, org, p, upsertPlaylist)
}

func (s *Store) storePlaylist(ctx context.Context, org int64, p hostapi.Playlist, statement string) (hostapi.Playlist, error) {
	p, err := host.NormalizePlaylist(p)
	if err != nil {
		return hostapi.Playlist{}, err
	}
	p.OrgID = strconv.FormatInt(org, 10)
	err = s.transact(ctx, func(tx *sql.Tx) error {
		id, err := get(ctx, tx, playlist, scanOne[int64], statement, org, p.UID, p.Name, host.Fold(p.Name), p.Interval)
		if err != nil {
			return err
		}
		if statement != updatePlaylist {
			err = checkQuota(ctx, tx, org, id, "playlists", "playlists", gate.MaxPlaylists)
		}
		if err == nil && statement != insertPlaylist {
			err = exec(ctx, tx, "DELETE FROM playlist_items WHERE playlist_id = $1", id)
		}
		if err != nil {
			return err
		}
		return insertItems(ctx, tx, id, p)
	})
	return p, err
}

// DeletePlaylist deletes a playlist and its items.
func (s *Store) DeletePlaylist(ctx context.Context, org int64, uid string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		_, err := get(ctx, tx, playlist, scanOne[int64], "DELETE FROM playlists WHERE org_id = $1 AND uid = $2 RETURNING id", org, uid)
		return err
	})
}

// insertItems stores the items of a playlist and sets what the host assigns.
func insertItems(ctx context.Context, tx *sql.Tx, playlistID int64, p hostapi.Playlist) (err error) {
	for i := range p.Items {
		item := &p.Items[i]
		item.PlaylistUID = p.UID
		if item.ID, err = find(ctx, tx, scanOne[int64], `INSERT INTO playlist_items (playlist_id, position, type, value, title)
			VALUES ($1, $2, $3, $4, $5) RETURNING id`, playlistID, i+1, item.Type, item.Value, item.Title); err != nil {
			return err
		}
	}
	return nil
}
