package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/slipway-dev/slipway/host"
)

const dashboard = "Dashboard"

const selectDashboard = `SELECT d.id, d.uid, d.title, d.version, d.updated_at, COALESCE(d.plugin_id, ''),
		COALESCE(f.uid, ''), COALESCE(f.title, '')
	FROM dashboards d LEFT JOIN folders f ON f.id = d.folder_id WHERE d.org_id = $1 AND d.uid = $2`

// scanDashboard scans the columns of selectDashboard and of rest.
func scanDashboard(row scanner, rest ...any) (d host.Dashboard, err error) {
	var updated sql.NullInt64
	err = row.Scan(append([]any{&d.ID, &d.UID, &d.Title, &d.Version, &updated, &d.PluginID, &d.FolderUID, &d.FolderTitle}, rest...)...)
	d.Updated = timeOf(updated)
	return d, err
}

func scanHead(row scanner) (host.Dashboard, error) { return scanDashboard(row) }

// Dashboard returns a dashboard with its model.
func (s *Store) Dashboard(ctx context.Context, org int64, uid string) (host.Dashboard, error) {
	end, err := s.beginLong(ctx)
	if err != nil {
		return host.Dashboard{}, err
	}
	defer end()
	// One statement, so that the model and the version belong together.
	d, err := find(ctx, s.read, func(row scanner) (host.Dashboard, error) {
		var model string
		d, err := scanDashboard(row, &model)
		d.Model = json.RawMessage(model)
		return d, err
	}, `SELECT d.id, d.uid, d.title, d.version, d.updated_at, COALESCE(d.plugin_id, ''),
			COALESCE(f.uid, ''), COALESCE(f.title, ''), m.model
		FROM dashboards d JOIN dashboard_models m ON m.dashboard_id = d.id LEFT JOIN folders f ON f.id = d.folder_id
		WHERE d.org_id = $1 AND d.uid = $2`, org, uid)
	if err != nil {
		return d, orNotFound(err, dashboard)
	}
	d.Tags, err = list(ctx, s.read, scanOne[string], "SELECT tag FROM dashboard_tags WHERE dashboard_id = $1 ORDER BY tag", d.ID)
	return d, err
}

// Save controls how SaveDashboard replaces a dashboard. With the zero value, it does
// not replace a version that the caller has not seen (host.ErrStale).
type Save struct {
	Overwrite  bool
	KeepFolder bool // ignore FolderUID if the dashboard exists

	Check func(uid string) error // of the dashboard; its error ends the call. Optional
}

// SaveDashboard stores a dashboard, or replaces the one with its uid or, if the uid is
// empty, its id. It assigns a uid to a new dashboard without one. It returns what
// Dashboard would return, but without the model.
func (s *Store) SaveDashboard(ctx context.Context, org int64, d host.Dashboard, how Save) (host.Dashboard, error) {
	if err := d.Check(); err != nil {
		return host.Dashboard{}, err
	}
	err := s.transactAlone(ctx, contentLock, func(tx *sql.Tx) (err error) {
		d, err = s.saveDashboard(ctx, tx, org, d, how)
		return err
	})
	d.Model = nil
	return d, err
}

func (s *Store) saveDashboard(ctx context.Context, tx *sql.Tx, org int64, d host.Dashboard, how Save) (host.Dashboard, error) {
	var err error
	if d.UID == "" && d.ID != 0 {
		if d.UID, err = find(ctx, tx, scanOne[string], "SELECT uid FROM dashboards WHERE org_id = $1 AND id = $2", org, d.ID); err != nil {
			return d, orNotFound(err, dashboard)
		}
	}
	if d.UID == "" {
		if d.UID, err = host.NewUID(s.random); err != nil {
			return d, fmt.Errorf("save dashboard: %w", err)
		}
	}
	if how.Check != nil {
		if err := how.Check(d.UID); err != nil {
			return d, err
		}
	}
	stored, err := find(ctx, tx, scanHead, selectDashboard, org, d.UID)
	isNew := errors.Is(err, sql.ErrNoRows)
	switch {
	case err != nil && !isNew:
		return d, err
	case !isNew && !how.Overwrite && d.Version != stored.Version:
		return d, &host.Error{Category: host.ErrStale, Field: "dashboard.version", ID: "version-mismatch",
			Message: fmt.Sprintf("version %d of this dashboard was saved in the meantime; read it again, or set overwrite", stored.Version)}
	case !isNew && how.KeepFolder:
		d.FolderUID = stored.FolderUID
	}
	folderID, title, err := folderOf(ctx, tx, org, d.FolderUID)
	if err != nil {
		return d, err
	}
	d.FolderTitle, d.Updated = title, s.clock()
	type saved struct{ id, version int64 }
	row, err := find(ctx, tx, func(row scanner) (r saved, err error) {
		err = row.Scan(&r.id, &r.version)
		return r, err
	}, `INSERT INTO dashboards (org_id, uid, title, title_folded, folder_id, updated_at, plugin_id)
		VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''))
		ON CONFLICT (org_id, uid) DO UPDATE SET title = excluded.title, title_folded = excluded.title_folded,
			folder_id = excluded.folder_id, updated_at = excluded.updated_at,
			plugin_id = COALESCE(excluded.plugin_id, dashboards.plugin_id), version = dashboards.version + 1
		RETURNING id, version`,
		org, d.UID, d.Title, host.Fold(d.Title), folderID, d.Updated.UnixMilli(), d.PluginID)
	if err != nil {
		return d, err
	}
	d.ID, d.Version = row.id, row.version
	if _, err := tx.ExecContext(ctx, `INSERT INTO dashboard_models (dashboard_id, model) VALUES ($1, $2)
		ON CONFLICT (dashboard_id) DO UPDATE SET model = excluded.model`, d.ID, string(orEmpty(d.Model))); err != nil {
		return d, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM dashboard_tags WHERE dashboard_id = $1", d.ID); err != nil {
		return d, err
	}
	for _, tag := range d.Tags {
		const insert = "INSERT INTO dashboard_tags (tag, dashboard_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
		if _, err := tx.ExecContext(ctx, insert, tag, d.ID); err != nil {
			return d, err
		}
	}
	return d, nil
}

// folderOf returns the id and title of a folder. The id is NULL if uid is empty.
func folderOf(ctx context.Context, tx *sql.Tx, org int64, uid string) (id sql.NullInt64, title string, err error) {
	if uid == "" {
		return id, "", nil
	}
	f, err := find(ctx, tx, scanFolder, "SELECT id, uid, title FROM folders WHERE org_id = $1 AND uid = $2", org, uid)
	if errors.Is(err, sql.ErrNoRows) {
		return id, "", host.Invalid("folderUid", "no folder has this uid")
	}
	return sql.NullInt64{Int64: f.ID, Valid: true}, f.Title, err
}

// ImportDashboard stores a dashboard of a plugin. If the digest of its file is that of the
// last import, it does nothing, so that changes by users stay.
func (s *Store) ImportDashboard(ctx context.Context, org int64, d host.Dashboard, digest string) (isNew bool, err error) {
	if err := d.Check(); err != nil {
		return false, err
	}
	if d.UID == "" {
		return false, host.Invalid("uid", "is required in a dashboard of a plugin; otherwise every start would create another one")
	}
	err = s.transactAlone(ctx, contentLock, func(tx *sql.Tx) error {
		type imported struct{ plugin, digest string }
		known, err := find(ctx, tx, func(row scanner) (i imported, err error) {
			err = row.Scan(&i.plugin, &i.digest)
			return i, err
		}, "SELECT COALESCE(plugin_id, ''), COALESCE(plugin_digest, '') FROM dashboards WHERE org_id = $1 AND uid = $2", org, d.UID)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case known.plugin != d.PluginID:
			return host.Duplicate("uid", "uid %s belongs to a dashboard that is not from this plugin", d.UID)
		case known.digest == digest:
			return nil
		}
		isNew = true
		if _, err := s.saveDashboard(ctx, tx, org, d, Save{Overwrite: true, KeepFolder: true}); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE dashboards SET plugin_digest = $1 WHERE org_id = $2 AND uid = $3", digest, org, d.UID)
		return err
	})
	return isNew, err
}

// DeleteDashboard deletes a dashboard and returns it without tags or model. Playlist
// items that refer to it remain.
func (s *Store) DeleteDashboard(ctx context.Context, org int64, uid string) (d host.Dashboard, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if d, err = find(ctx, tx, scanHead, selectDashboard, org, uid); err != nil {
			return orNotFound(err, dashboard)
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM dashboards WHERE id = $1", d.ID)
		return err
	})
	d.Model = nil
	return d, err
}

// DashboardFilter selects dashboards. The zero value selects all of them.
type DashboardFilter struct {
	Text      string   // part of the title, in any case
	Tags      []string // the dashboard has all of them; at most MaxSearchTags
	FolderUID string
	Page      Page
}

// MaxSearchTags is the maximum number of tags in a search.
const MaxSearchTags = 10

// Dashboards returns a page of dashboards sorted by title, without their models.
func (s *Store) Dashboards(ctx context.Context, org int64, f DashboardFilter) ([]host.Dashboard, error) {
	if len(f.Text) > 4*host.MaxNameLength {
		return []host.Dashboard{}, nil
	}
	where, args := f.where(org)
	type row struct {
		d   host.Dashboard
		tag sql.NullString
	}
	rows, err := list(ctx, s.read, func(sc scanner) (r row, err error) {
		r.d, err = scanDashboard(sc, &r.tag)
		return r, err
	}, `SELECT d.id, d.uid, d.title, d.version, d.updated_at, COALESCE(d.plugin_id, ''),
			COALESCE(f.uid, ''), COALESCE(f.title, ''), t.tag
		FROM (SELECT d.id FROM dashboards d `+where+` ORDER BY d.title, d.id LIMIT $2 OFFSET $3) p
		JOIN dashboards d ON d.id = p.id
		LEFT JOIN folders f ON f.id = d.folder_id
		LEFT JOIN dashboard_tags t ON t.dashboard_id = d.id
		ORDER BY d.title, d.id, t.tag`, args...)
	if err != nil {
		return nil, err
	}
	out := []host.Dashboard{}
	for _, r := range rows {
		if last := len(out) - 1; last < 0 || out[last].ID != r.d.ID {
			r.d.Tags = []string{}
			out = append(out, r.d)
		}
		if r.tag.Valid {
			out[len(out)-1].Tags = append(out[len(out)-1].Tags, r.tag.String)
		}
	}
	return out, nil
}

// where returns the condition on dashboards d and the arguments: the organization, LIMIT,
// OFFSET and those of the condition. It contains only the parts that filter, so that the
// database can choose an index for them.
func (f DashboardFilter) where(org int64) (where string, args []any) {
	limit, offset := f.Page.bounds()
	args = []any{org, limit, offset}
	and := func(format string, arg any) {
		args = append(args, arg)
		where += " AND " + fmt.Sprintf(format, len(args))
	}
	if f.FolderUID != "" {
		and("d.folder_id = (SELECT id FROM folders WHERE org_id = $1 AND uid = $%d)", f.FolderUID)
	}
	if f.Text != "" {
		and("d.title_folded LIKE $%d ESCAPE '!'", containing(host.Fold(f.Text)))
	}
	for _, tag := range f.Tags {
		and("d.id IN (SELECT dashboard_id FROM dashboard_tags WHERE tag = $%d)", tag)
	}
	return "WHERE d.org_id = $1" + where, args
}
