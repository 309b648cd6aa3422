package hostapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Playlist is a list of dashboards to rotate through. OrgID and Items are empty in the
// results of Playlists and CreatePlaylist. Version 12.4 of existing hosts sends no OrgID at all,
// and Items of a new playlist.
type Playlist struct {
	UID      string         `json:"uid,omitempty"` // assigned by the host
	Name     string         `json:"name" jsonschema:"required"`
	Interval string         `json:"interval" jsonschema:"required,pattern=^[0-9]+[smhdwM]$"` // for example "5m"
	OrgID    string         `json:"orgId,omitempty"`                                         // assigned by the host
	Items    []PlaylistItem `json:"items,omitempty"`
}

// PlaylistItem is an item of a playlist. Version 12.4 of existing hosts sends only its type and
// value; items are in their order everywhere.
type PlaylistItem struct {
	ID          int64   `json:"id,omitempty"`          // assigned by the host
	PlaylistUID string  `json:"playlistUid,omitempty"` // assigned by the host
	Type        string  `json:"type" jsonschema:"required,enum=dashboard_by_id,enum=dashboard_by_uid,enum=dashboard_by_tag"`
	Value       string  `json:"value" jsonschema:"required"`                         // the ID or the UID of a dashboard, or a tag
	Order       float64 `json:"order,omitempty" jsonschema:"multipleOf=1,minimum=0"` // whole; the host sorts items by it and numbers them from 1
	Title       string  `json:"title"`
}

// PlaylistDashboard is a dashboard that a playlist shows.
type PlaylistDashboard struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Order int    `json:"order"` // of the item, from 1
	UID   string `json:"uid"`
	Slug  string `json:"slug"`
	URL   string `json:"url"` // relative to the URL of the host
	URI   string `json:"uri"`
}

// PlaylistSearch selects playlists. The zero value selects all, up to the host's default
// limit. Version 12.4 of existing hosts ignores Limit and Page and returns all of them, so a loop
// over pages must also end when the first playlist is one that it has seen.
type PlaylistSearch struct {
	Query string // part of the name
	Limit int    // 0 means the host's default
	Page  int    // from 1; 0 means the first
}

// Playlists lists the playlists of the organization. It requires the permission
// playlists:read, as do the other methods that read playlists; those that change
// playlists require playlists:write.
//
// Version 12.4 of existing hosts has no such permissions. It decides by the role of the caller:
// everyone may read playlists, and editors may change them. The service account of a plugin has
// the role None, so there it gets an [*Error] with status 403 from the methods that change
// playlists.
func (c *Client) Playlists(ctx context.Context, s PlaylistSearch) ([]Playlist, error) {
	return call[[]Playlist](ctx, c, http.MethodGet, "api/playlists", nil, searchQuery(s.Query, s.Limit, s.Page), nil)
}

// Playlist returns a playlist with its items in order.
func (c *Client) Playlist(ctx context.Context, uid string) (Playlist, error) {
	return call[Playlist](ctx, c, http.MethodGet, "api/playlists", []string{uid}, nil, nil)
}

// PlaylistDashboards lists the dashboards that a playlist shows, in order. It omits those for
// which the plugin does not have the permission dashboards:read.
//
// Versions 12.3 and 12.4 of existing hosts do not have this route, and the error is an [*Error]
// with status 404. Call Playlist and SearchDashboards there.
func (c *Client) PlaylistDashboards(ctx context.Context, uid string) ([]PlaylistDashboard, error) {
	return call[[]PlaylistDashboard](ctx, c, http.MethodGet, "api/playlists", []string{uid, "dashboards"}, nil, nil)
}

// CreatePlaylist creates a playlist and returns it with its UID. It ignores p.UID.
func (c *Client) CreatePlaylist(ctx context.Context, p Playlist) (Playlist, error) {
	p.UID = ""
	return call[Playlist](ctx, c, http.MethodPost, "api/playlists", nil, nil, p)
}

// UpdatePlaylist replaces the playlist p.UID and returns it as stored.
func (c *Client) UpdatePlaylist(ctx context.Context, p Playlist) (Playlist, error) {
	return call[Playlist](ctx, c, http.MethodPut, "api/playlists", []string{p.UID}, nil, p)
}

// DeletePlaylist deletes a playlist.
func (c *Client) DeletePlaylist(ctx context.Context, uid string) error {
	return c.remove(ctx, "api/playlists", uid)
}

// searchQuery returns the parameters of a search that are set.
func searchQuery(text string, limit, page int) url.Values {
	q := url.Values{}
	if text != "" {
		q.Set("query", text)
	}
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	if page > 0 {
		q.Set("page", strconv.Itoa(page))
	}
	return q
}
