package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
)

const dashboard = "Dashboard"

// dashboardColumns are columns of dashboards d and folders f, which scanDashboard scans.
const dashboardColumns = `d.id, d.uid, d.title, d.version, NULLIF(d.created_at, 0), NULLIF(d.updated_at, 0), COALESCE(d.plugin_id, ''),
	COALESCE(f.id, 0), COALESCE(f.uid, ''), COALESCE(f.title, '')`

const selectDashboards = "SELECT " + dashboardColumns + " FROM dashboards d LEFT JOIN folders f ON f.id = d.folder_id "

const selectDashboard = selectDashboards + "WHERE d.org_id = $1 AND d.uid = $2"

// scanDashboard scans dashboardColumns and the columns after them.
func scanDashboard(row scanner, rest ...any) (d host.Dashboard, err error) {
	err = row.Scan(append([]any{&d.ID, &d.UID, &d.Title, &d.Version, timeColumn{&d.Created}, timeColumn{&d.Updated}, &d.PluginID,
		&d.FolderID, &d.FolderUID, &d.FolderTitle}, rest...)...)
	return d, err
}

func scanHead(row scanner) (host.Dashboard, error) { return scanDashboard(row) }

// Dashboard returns a dashboard with its model.
func (s *Store) Dashboard(ctx context.Context, org int64, uid string) (host.Dashboard, error) {
	// One statement, so that the model and the version belong together.
	var model []byte
	scan := func(row scanner) (host.Dashboard, error) { return scanDashboard(row, &model) }
	d, err := get(ctx, s.read, dashboard, scan, "SELECT "+dashboardColumns+`, m.model
		FROM dashboards d JOIN dashboard_models m ON m.dashboard_id = d.id LEFT JOIN folders f ON f.id = d.folder_id
		WHERE d.org_id = $1 AND d.uid = $2`, org, uid)
	if err != nil {
		return d, err
	}
	d.Model = model
	d.Tags, err = list(ctx, s.read, scanOne[string], "SELECT tag FROM dashboard_tags WHERE dashboard_id = $1 ORDER BY tag", d.ID)
	return d, err
}

// Save controls how SaveDashboard replaces a dashboard. With the zero value, it does
// not replace a version that the caller has not seen (host.ErrStale).
type Save struct {
	Overwrite  bool
	KeepFolder bool // ignore FolderUID if the dashboard exists

	Check func(uid string) error // of the dashboard; its error ends the call. Optional
	// May returns an error if the caller may not replace stored, or create d if that is nil. Optional
	May func(stored *host.Dashboard, d host.Dashboard) error
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
		if d.UID, err = get(ctx, tx, dashboard, scanOne[string], "SELECT uid FROM dashboards WHERE org_id = $1 AND id = $2", org, d.ID); err != nil {
			return d, err
		}
	}
	if d.UID == "" {
		d.UID = host.NewUID()
	}
	stored, err := find(ctx, tx, scanHead, selectDashboard, org, d.UID)
	isNew := errors.Is(err, sql.ErrNoRows)
	if err != nil && !isNew {
		return d, err
	}
	if !isNew && how.KeepFolder {
		d.FolderUID = stored.FolderUID
	}
	if how.May != nil {
		known := &stored
		if isNew {
			known = nil
		}
		if err := how.May(known, d); err != nil {
			return d, err
		}
	}
	if how.Check != nil {
		if err := how.Check(d.UID); err != nil {
			return d, err
		}
	}
	if !isNew && !how.Overwrite && d.Version != stored.Version {
		return d, &host.Error{Category: host.ErrStale, Field: "dashboard.version", ID: "version-mismatch",
			Message: fmt.Sprintf("version %d of this dashboard was saved in the meantime; read it again, or set overwrite", stored.Version)}
	}
	folderID, title, err := folderOf(ctx, tx, org, d.FolderUID)
	if err != nil {
		return d, err
	}
	d.FolderID, d.FolderTitle, d.Updated = folderID.Int64, title, s.clock()
	type saved struct{ id, version int64 }
	row, err := find(ctx, tx, func(row scanner) (r saved, err error) {
		err = row.Scan(&r.id, &r.version)
		return r, err
	}, `INSERT INTO dashboards (org_id, uid, title, title_folded, folder_id, created_at, updated_at, plugin_id)
		VALUES ($1, $2, $3, $4, $5, $6, $6, NULLIF($7, ''))
		ON CONFLICT (org_id, uid) DO UPDATE SET title = excluded.title, title_folded = excluded.title_folded,
			folder_id = excluded.folder_id, updated_at = excluded.updated_at,
			plugin_id = COALESCE(excluded.plugin_id, dashboards.plugin_id), version = dashboards.version + 1
		RETURNING id, version`,
		org, d.UID, d.Title, host.Fold(d.Title), folderID, d.Updated.UnixMilli(), d.PluginID)
	if err != nil {
		return d, err
	}
	d.ID, d.Version = row.id, row.version
	if isNew {
		if err := checkQuota(ctx, tx, org, d.ID, "dashboards", "dashboards", gate.MaxDashboards); err != nil {
			return d, err
		}
	}
	if err := exec(ctx, tx, `INSERT INTO dashboard_models (dashboard_id, model) VALUES ($1, $2)
		ON CONFLICT (dashboard_id) DO UPDATE SET model = excluded.model`, d.ID, string(orEmpty(d.Model))); err != nil {
		return d, err
	}
	if err := exec(ctx, tx, "DELETE FROM dashboard_tags WHERE dashboard_id = $1", d.ID); err != nil {
		return d, err
	}
	for _, tag := range d.Tags {
		const insert = "INSERT INTO dashboard_tags (tag, dashboard_id) VALUES ($1, $2) ON CONFLICT DO NOTHING"
		if err := exec(ctx, tx, insert, tag, d.ID); err != nil {
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
	f, err := find(ctx, tx, scanFolder, selectFolder+"AND uid = $2", org, uid)
	if errors.Is(err, sql.ErrNoRows) {
		return id, "", host.Invalid("folderUid", "no folder has this uid")
	}
	return sql.NullInt64{Int64: f.ID, Valid: true}, f.Title, err
}

// DashboardFolder returns the uid of the folder of a dashboard, or "" if it is in none.
func (s *Store) DashboardFolder(ctx context.Context, org int64, uid string) (folderUID string, err error) {
	return get(ctx, s.read, dashboard, scanOne[string], `SELECT COALESCE(f.uid, '') FROM dashboards d
		LEFT JOIN folders f ON f.id = d.folder_id WHERE d.org_id = $1 AND d.uid = $2`, org, uid)
}

// DashboardsOfPlugin returns the dashboards imported from a plugin, without tags and models.
func (s *Store) DashboardsOfPlugin(ctx context.Context, org int64, pluginID string) ([]host.Dashboard, error) {
	return list(ctx, s.read, scanHead, selectDashboards+"WHERE d.org_id = $1 AND d.plugin_id = $2 ORDER BY d.id LIMIT CAST($3 AS BIGINT)", org, pluginID, gate.MaxPageLength)
}

// DeleteDashboard deletes a dashboard and returns it without tags or model. Playlist items remain.
func (s *Store) DeleteDashboard(ctx context.Context, org int64, uid string) (d host.Dashboard, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if d, err = get(ctx, tx, dashboard, scanHead, selectDashboard, org, uid); err != nil {
			return err
		}
		return exec(ctx, tx, "DELETE FROM dashboards WHERE id = $1", d.ID)
	})
	return d, err
}

// DashboardFilter selects dashboards. The zero value selects all of them.
type DashboardFilter struct {
	Text       string   // part of the title, ignoring case
	Tags       []string // the dashboard has all of them; at most MaxSearchTags
	FolderUIDs []string // in one of these folders, at most MaxSearchUIDs; access.GeneralFolder stands for none
	UIDs       []string // with one of these uids, at most MaxSearchUIDs
	FolderIDs  []string // in a folder with one of these numeric ids, at most MaxSearchUIDs; 0 stands for none
	IDs        []string // with one of these numeric ids, at most MaxSearchUIDs
	Page       Page

	// Only restricts the search to dashboards with one of the uids or in one of the folders,
	// of which access.GeneralFolder stands for none; nil if it is not restricted.
	Only *Only
}

// Only names dashboards and folders.
type Only struct{ UIDs, FolderUIDs []string }

// MaxSearchTags is the maximum number of tags in a search.
const MaxSearchTags = 10

// MaxSearchUIDs is the maximum number of uids in a search.
const MaxSearchUIDs = 500

// Dashboards returns a page of dashboards sorted by title, without their models.
func (s *Store) Dashboards(ctx context.Context, org int64, f DashboardFilter) ([]host.Dashboard, error) {
	if len(f.Text) > 4*host.MaxNameLength {
		return []host.Dashboard{}, nil
	}
	where, args := f.where(org)
	return list(ctx, s.read, func(row scanner) (host.Dashboard, error) {
		var tags string
		d, err := scanDashboard(row, &tags)
		d.Tags = lines(tags)
		return d, err
	}, "SELECT "+dashboardColumns+`,
			COALESCE((SELECT string_agg(t.tag, `+newline+` ORDER BY t.tag) FROM dashboard_tags t WHERE t.dashboard_id = d.id), '')
		FROM (SELECT d.id FROM dashboards d `+where+` ORDER BY d.title, d.id LIMIT CAST($2 AS BIGINT) OFFSET $3) p
		JOIN dashboards d ON d.id = p.id
		LEFT JOIN folders f ON f.id = d.folder_id
		ORDER BY d.title, d.id`, args...)
}

// where returns the condition on dashboards d and its arguments, after the organization, LIMIT and
// OFFSET. It has only the parts that filter, so that the database can choose an index for them.
func (f DashboardFilter) where(org int64) (where string, args []any) {
	limit, offset := f.Page.bounds()
	args = []any{org, limit, offset}
	and := func(format string, arg any) {
		args = append(args, arg)
		where += " AND " + fmt.Sprintf(format, len(args))
	}
	const folderOf = "COALESCE((SELECT uid FROM folders WHERE id = d.folder_id), 'general')"
	if len(f.FolderUIDs) > 0 {
		where += " AND " + folderOf + " IN " + in(&args, f.FolderUIDs)
	}
	if len(f.UIDs) > 0 {
		where += " AND d.uid IN " + in(&args, f.UIDs)
	}
	if len(f.FolderIDs) > 0 {
		where += " AND COALESCE(d.folder_id, 0) IN " + in(&args, parseIDs(f.FolderIDs))
	}
	if len(f.IDs) > 0 {
		where += " AND d.id IN " + in(&args, parseIDs(f.IDs))
	}
	if f.Only != nil {
		where += " AND (d.uid IN " + in(&args, f.Only.UIDs) + " OR " + folderOf + " IN " + in(&args, f.Only.FolderUIDs) + ")"
	}
	if f.Text != "" {
		and("d.title_folded LIKE $%d ESCAPE '!'", containing(host.Fold(f.Text)))
	}
	for _, tag := range f.Tags {
		and("d.id IN (SELECT dashboard_id FROM dashboard_tags WHERE tag = $%d)", tag)
	}
	return "WHERE d.org_id = $1" + where, args
}

// parseIDs returns those texts that are numbers.
func parseIDs(texts []string) (out []int64) {
	for _, text := range texts {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			out = append(out, n)
		}
	}
	return out
}
