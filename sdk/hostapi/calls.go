package hostapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// Playlist is a playlist of the host. Lists and the answer to CreatePlaylist have no
// items.
type Playlist struct {
	UID      string         `json:"uid,omitempty"` // assigned by the host
	Name     string         `json:"name"`
	Interval string         `json:"interval"` // a number and one of s, m, h, d, w, M: "5m"
	Items    []PlaylistItem `json:"items,omitempty"`
}

// PlaylistItem is one entry of a playlist.
type PlaylistItem struct {
	ID    int64  `json:"id,omitempty"` // assigned by the host
	Type  string `json:"type"`         // dashboard_by_id or dashboard_by_tag
	Value string `json:"value"`        // the id of a dashboard, or a tag
	Order int    `json:"order,omitempty"`
	Title string `json:"title,omitempty"`
}

// PlaylistDashboard is a dashboard that an item of a playlist stands for.
type PlaylistDashboard struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Order int    `json:"order"` // of the item, from 1
}

// PlaylistSearch narrows a list of playlists; the zero value takes the host's
// defaults.
type PlaylistSearch struct {
	Query string // part of the name
	Limit int    // at most so many; 0 for the host's default
	Page  int    // from 1; 0 is the first
}

// Playlists lists the playlists of the organisation. It needs the permission
// playlists:read, as all reading of playlists does; changing them needs
// playlists:write. Answers that are no success are a *Error.
func (c *Client) Playlists(ctx context.Context, s PlaylistSearch) ([]Playlist, error) {
	return ask[[]Playlist](ctx, c, http.MethodGet, "api/playlists", nil, values("query", s.Query, "limit", number(s.Limit), "page", number(s.Page)), nil)
}

// Playlist reads a playlist with its items, in order.
func (c *Client) Playlist(ctx context.Context, uid string) (Playlist, error) {
	return ask[Playlist](ctx, c, http.MethodGet, "api/playlists", []string{uid}, nil, nil)
}

// PlaylistDashboards lists the dashboards that a playlist shows, in order.
func (c *Client) PlaylistDashboards(ctx context.Context, uid string) ([]PlaylistDashboard, error) {
	return ask[[]PlaylistDashboard](ctx, c, http.MethodGet, "api/playlists", []string{uid, "dashboards"}, nil, nil)
}

// CreatePlaylist stores a playlist and returns it with its uid, without its items.
func (c *Client) CreatePlaylist(ctx context.Context, p Playlist) (Playlist, error) {
	p.UID = ""
	return ask[Playlist](ctx, c, http.MethodPost, "api/playlists", nil, nil, p)
}

// UpdatePlaylist replaces the playlist with the uid of p and returns it as stored.
func (c *Client) UpdatePlaylist(ctx context.Context, p Playlist) (Playlist, error) {
	return ask[Playlist](ctx, c, http.MethodPut, "api/playlists", []string{p.UID}, nil, p)
}

// DeletePlaylist removes a playlist.
func (c *Client) DeletePlaylist(ctx context.Context, uid string) error {
	_, err := ask[struct{}](ctx, c, http.MethodDelete, "api/playlists", []string{uid}, nil, nil)
	return err
}

// Folder groups dashboards.
type Folder struct {
	ID    int64  `json:"id,omitempty"` // assigned by the host
	UID   string `json:"uid,omitempty"`
	Title string `json:"title"`
}

// Folders lists the folders sorted by title. It needs folders:read.
func (c *Client) Folders(ctx context.Context) ([]Folder, error) {
	return ask[[]Folder](ctx, c, http.MethodGet, "api/folders", nil, nil, nil)
}

// CreateFolder stores a folder. An empty uid is assigned. It needs folders:create.
func (c *Client) CreateFolder(ctx context.Context, f Folder) (Folder, error) {
	return ask[Folder](ctx, c, http.MethodPost, "api/folders", nil, nil, f)
}

// DeleteFolder removes a folder and the dashboards in it. It needs folders:delete.
func (c *Client) DeleteFolder(ctx context.Context, uid string) error {
	_, err := ask[struct{}](ctx, c, http.MethodDelete, "api/folders", []string{uid}, nil, nil)
	return err
}

// DashboardHit is a dashboard that a search found.
type DashboardHit struct {
	ID        int64    `json:"id"`
	UID       string   `json:"uid"`
	Title     string   `json:"title"`
	URL       string   `json:"url"` // below the address of the host
	Tags      []string `json:"tags"`
	FolderUID string   `json:"folderUid"`
}

// DashboardSearch narrows a search; the zero value finds every dashboard.
type DashboardSearch struct {
	Query string   // part of the title
	Tags  []string // all of them; at most 10
	Limit int      // at most so many; 0 for the host's default
	Page  int      // from 1; 0 is the first
}

// SearchDashboards finds dashboards, sorted by title. It needs dashboards:read.
func (c *Client) SearchDashboards(ctx context.Context, s DashboardSearch) ([]DashboardHit, error) {
	q := values("query", s.Query, "limit", number(s.Limit), "page", number(s.Page))
	q["tag"] = s.Tags
	return ask[[]DashboardHit](ctx, c, http.MethodGet, "api/search", nil, q, nil)
}

// Dashboard reads the model of a dashboard. It needs dashboards:read.
func (c *Client) Dashboard(ctx context.Context, uid string) (json.RawMessage, error) {
	type full struct {
		Dashboard json.RawMessage `json:"dashboard"`
	}
	d, err := ask[full](ctx, c, http.MethodGet, "api/dashboards/uid", []string{uid}, nil, nil)
	return d.Dashboard, err
}

// SaveDashboard creates a dashboard, or replaces the one with the uid in the model,
// and returns its uid and version. The model has to hold the version that it replaces;
// otherwise the host answers 412. It needs dashboards:write.
func (c *Client) SaveDashboard(ctx context.Context, model json.RawMessage) (uid string, version int64, err error) {
	type saved struct {
		UID     string `json:"uid"`
		Version int64  `json:"version"`
	}
	s, err := ask[saved](ctx, c, http.MethodPost, "api/dashboards/db", nil, nil, map[string]json.RawMessage{"dashboard": model})
	return s.UID, s.Version, err
}

// DeleteDashboard removes a dashboard. It needs dashboards:delete.
func (c *Client) DeleteDashboard(ctx context.Context, uid string) error {
	_, err := ask[struct{}](ctx, c, http.MethodDelete, "api/dashboards/uid", []string{uid}, nil, nil)
	return err
}

// values are the parameters that are not empty.
func values(pairs ...string) url.Values {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

// number writes a number; 0 and less are left out.
func number(n int) string {
	if n <= 0 {
		return ""
	}
	return strconv.Itoa(n)
}
