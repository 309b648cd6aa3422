package hostapi

import (
	"context"
	"encoding/json"
	"net/http"
)

// Folder is a folder of dashboards.
type Folder struct {
	ID    int64  `json:"id,omitempty"` // assigned by the host
	UID   string `json:"uid,omitempty"`
	Title string `json:"title"`
}

// Folders lists the folders, sorted by title, up to the host's default limit. It requires the
// permission folders:read.
func (c *Client) Folders(ctx context.Context) ([]Folder, error) {
	return call[[]Folder](ctx, c, http.MethodGet, "api/folders", nil, nil, nil)
}

// CreateFolder creates a folder and returns it. The host assigns a UID if f.UID is
// empty. CreateFolder requires the permission folders:create.
func (c *Client) CreateFolder(ctx context.Context, f Folder) (Folder, error) {
	return call[Folder](ctx, c, http.MethodPost, "api/folders", nil, nil, f)
}

// DeleteFolder deletes a folder and its dashboards. It requires the permission
// folders:delete.
func (c *Client) DeleteFolder(ctx context.Context, uid string) error {
	_, err := call[struct{}](ctx, c, http.MethodDelete, "api/folders", []string{uid}, nil, nil)
	return err
}

// DashboardHit is a dashboard in the result of a search.
type DashboardHit struct {
	ID        int64    `json:"id"`
	UID       string   `json:"uid"`
	Title     string   `json:"title"`
	URL       string   `json:"url"` // relative to the URL of the host
	Tags      []string `json:"tags"`
	FolderUID string   `json:"folderUid"`
}

// DashboardSearch selects dashboards. The zero value selects all, up to the host's
// default limit.
type DashboardSearch struct {
	Query string   // part of the title
	Tags  []string // at most 10, all of which a dashboard must have
	Limit int      // 0 means the host's default
	Page  int      // from 1; 0 means the first
}

// SearchDashboards lists dashboards, sorted by title. It requires the permission
// dashboards:read.
func (c *Client) SearchDashboards(ctx context.Context, s DashboardSearch) ([]DashboardHit, error) {
	q := searchQuery(s.Query, s.Limit, s.Page)
	q["tag"] = s.Tags
	return call[[]DashboardHit](ctx, c, http.MethodGet, "api/search", nil, q, nil)
}

// Dashboard returns the JSON model of a dashboard. It requires the permission
// dashboards:read.
func (c *Client) Dashboard(ctx context.Context, uid string) (json.RawMessage, error) {
	type response struct {
		Dashboard json.RawMessage `json:"dashboard"`
	}
	r, err := call[response](ctx, c, http.MethodGet, "api/dashboards/uid", []string{uid}, nil, nil)
	return r.Dashboard, err
}

// SaveDashboard creates a dashboard, or replaces the one with the UID in the model, and
// returns its UID and new version. If the model does not have the current version, the
// error is an [*Error] with status 412.
// SaveDashboard requires the permission dashboards:write.
func (c *Client) SaveDashboard(ctx context.Context, model json.RawMessage) (uid string, version int64, err error) {
	type response struct {
		UID     string `json:"uid"`
		Version int64  `json:"version"`
	}
	r, err := call[response](ctx, c, http.MethodPost, "api/dashboards/db", nil, nil, map[string]json.RawMessage{"dashboard": model})
	return r.UID, r.Version, err
}

// DeleteDashboard deletes a dashboard. It requires the permission dashboards:delete.
func (c *Client) DeleteDashboard(ctx context.Context, uid string) error {
	_, err := call[struct{}](ctx, c, http.MethodDelete, "api/dashboards/uid", []string{uid}, nil, nil)
	return err
}
