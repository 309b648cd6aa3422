package store

import (
	"context"

	"github.com/slipway-dev/slipway/host"
)

// AddItems adds equal items to a playlist, as versions without a limit did.
func (s *Store) AddItems(ctx context.Context, uid string, kind host.ItemType, value string, count int) error {
	_, err := s.write.db.ExecContext(ctx, `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $1)
		INSERT INTO playlist_items (playlist_id, position, type, value, title)
		SELECT p.id, n.n, $2, $3, '' FROM playlists p, n WHERE p.uid = $4`, count, string(kind), value, uid)
	return err
}

// AddFolders adds folders with titles from 000000.
func (s *Store) AddFolders(ctx context.Context, org int64, count int) error {
	_, err := s.write.db.ExecContext(ctx, `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < $1)
		INSERT INTO folders (org_id, uid, title) SELECT $2, 'u' || CAST(n AS TEXT), 't' || CAST(n AS TEXT) FROM n`, count, org)
	return err
}
