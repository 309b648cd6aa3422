package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

// SaveDashboard stores a dashboard, or replaces the title and tags of the one that
// has its uid, and returns it with its id. An empty uid is assigned.
func (s *Store) SaveDashboard(ctx context.Context, org int64, d host.Dashboard) (host.Dashboard, error) {
	if err := d.Check(); err != nil {
		return host.Dashboard{}, err
	}
	if d.UID == "" {
		uid, err := host.NewUID(s.random)
		if err != nil {
			return host.Dashboard{}, fmt.Errorf("save dashboard: %w", err)
		}
		d.UID = uid
	}
	err := s.transact(ctx, func(tx *sql.Tx) (err error) {
		d.ID, err = find(ctx, tx, scanID, `INSERT INTO dashboards (org_id, uid, title) VALUES ($1, $2, $3)
			ON CONFLICT (org_id, uid) DO UPDATE SET title = excluded.title RETURNING id`, org, d.UID, d.Title)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM dashboard_tags WHERE dashboard_id = $1", d.ID); err != nil {
			return err
		}
		for _, tag := range d.Tags {
			const insert = "INSERT INTO dashboard_tags (tag, dashboard_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
			if _, err := tx.ExecContext(ctx, insert, tag, d.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return d, err
}

// DeleteDashboard removes a dashboard. Playlist items that refer to it stay and
// resolve to nothing.
func (s *Store) DeleteDashboard(ctx context.Context, org int64, uid string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, "DELETE FROM dashboards WHERE org_id = $1 AND uid = $2", org, uid)
		return affected(result, err, "Dashboard")
	})
}
