package hostapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Folder is a folder of dashboards.
type Folder struct {
	ID    int64  `json:"id,omitempty"`  // assigned by the host
	UID   string `json:"uid,omitempty"` // assigned by the host if empty
	Title string `json:"title"`
}

// StoredFolder is a folder with what the caller may do with it. The host keeps no access list
// per folder: HasACL is false.
type StoredFolder struct {
	Folder
	OrgID     int64      `json:"orgId"`
	URL       string     `json:"url"`
	HasACL    bool       `json:"hasAcl"`
	CanSave   bool       `json:"canSave"`
	CanEdit   bool       `json:"canEdit"`
	CanAdmin  bool       `json:"canAdmin"`
	CanDelete bool       `json:"canDelete"`
	Created   *time.Time `json:"created,omitempty"` // nil if it is not known
	CreatedBy string     `json:"createdBy"`
	Updated   *time.Time `json:"updated,omitempty"`
	UpdatedBy string     `json:"updatedBy"`
	Version   int64      `json:"version"`
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
	return c.remove(ctx, "api/folders", uid)
}

// DashboardHit is a dashboard in the result of a search. URLs are relative to that of the
// host.
type DashboardHit struct {
	ID          int64    `json:"id"`
	UID         string   `json:"uid"`
	OrgID       int64    `json:"orgId"`
	Title       string   `json:"title"`
	Type        string   `json:"type"` // dash-db or dash-folder
	URI         string   `json:"uri"`
	URL         string   `json:"url"`
	Slug        string   `json:"slug"`
	Tags        []string `json:"tags"`
	IsStarred   bool     `json:"isStarred"`
	SortMeta    int64    `json:"sortMeta"`
	FolderID    int64    `json:"folderId,omitempty"`
	FolderUID   string   `json:"folderUid,omitempty"`
	FolderTitle string   `json:"folderTitle,omitempty"`
	FolderURL   string   `json:"folderUrl,omitempty"`
}

// StoredDashboard is a dashboard with its model.
type StoredDashboard struct {
	Dashboard json.RawMessage `json:"dashboard"`
	Meta      DashboardMeta   `json:"meta"`
}

// DashboardMeta is what the host knows about a dashboard beyond its model, and what the
// caller may do with it.
type DashboardMeta struct {
	Type        string     `json:"type"`
	Slug        string     `json:"slug"`
	URL         string     `json:"url"`
	Version     int64      `json:"version"`
	Created     *time.Time `json:"created,omitempty"` // nil if it is not known
	Updated     time.Time  `json:"updated"`
	FolderID    int64      `json:"folderId"`
	FolderUID   string     `json:"folderUid"`
	FolderTitle string     `json:"folderTitle"`
	FolderURL   string     `json:"folderUrl"`
	IsFolder    bool       `json:"isFolder"`
	IsStarred   bool       `json:"isStarred"`
	HasACL      bool       `json:"hasAcl"`
	PluginID    string     `json:"pluginId,omitempty"`    // from which it was imported
	Provisioned bool       `json:"provisioned"`           // from a file, and cannot be changed here
	File        string     `json:"provisionedExternalId"` // "" if it is not provisioned
	CanEdit     bool       `json:"canEdit"`
	CanSave     bool       `json:"canSave"`
	CanDelete   bool       `json:"canDelete"`
	CanAdmin    bool       `json:"canAdmin"`
}

// SavedDashboard is the response to the creation or replacement of a dashboard.
type SavedDashboard struct {
	ID        int64  `json:"id"`
	UID       string `json:"uid"`
	URL       string `json:"url"`
	Slug      string `json:"slug"`
	Status    string `json:"status"`
	Version   int64  `json:"version"`
	FolderUID string `json:"folderUid"`
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
	q.Set("type", "dash-db") // existing hosts list folders, too
	return call[[]DashboardHit](ctx, c, http.MethodGet, "api/search", nil, q, nil)
}

// Dashboard returns the JSON model of a dashboard. It requires the permission
// dashboards:read.
func (c *Client) Dashboard(ctx context.Context, uid string) (json.RawMessage, error) {
	r, err := call[StoredDashboard](ctx, c, http.MethodGet, "api/dashboards/uid", []string{uid}, nil, nil)
	return r.Dashboard, err
}

// SaveDashboard creates a dashboard, or replaces the one with the UID in the model, and
// returns its UID and new version. If the model does not have the current version, the
// error is an [*Error] with status 412.
// SaveDashboard requires the permission dashboards:write.
func (c *Client) SaveDashboard(ctx context.Context, model json.RawMessage) (uid string, version int64, err error) {
	r, err := call[SavedDashboard](ctx, c, http.MethodPost, "api/dashboards/db", nil, nil, map[string]json.RawMessage{"dashboard": model})
	return r.UID, r.Version, err
}

// DeleteDashboard deletes a dashboard. It requires the permission dashboards:delete.
func (c *Client) DeleteDashboard(ctx context.Context, uid string) error {
	return c.remove(ctx, "api/dashboards/uid", uid)
}
