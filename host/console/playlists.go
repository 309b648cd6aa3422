package console

import (
	"net/url"
	"slices"

	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// playlists loads the list of playlists.
func playlists(c *client) (any, error) {
	var data struct {
		Query    string
		All      []hostapi.Playlist
		MayWrite bool
	}
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	data.MayWrite = p.May("playlists:write", "playlists:uid:*")
	data.Query = c.r.URL.Query().Get("query")
	return &data, c.get("/api/playlists?"+url.Values{"query": {data.Query}}.Encode(), &data.All)
}

// playlistForm is the page to read, create or edit a playlist.
type playlistForm struct {
	hostapi.Playlist
	IsNew    bool
	MayWrite bool
	Hits     []hostapi.DashboardHit
	Tags     []string
	Shown    []hostapi.PlaylistDashboard // the dashboards of a stored playlist, in order
}

func newPlaylist(c *client) (any, error) {
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	if !p.May("playlists:write", "playlists:uid:*") {
		return nil, &apiError{403, "Permission denied"}
	}
	f := playlistForm{Playlist: hostapi.Playlist{Interval: "30s", Items: []hostapi.PlaylistItem{{Type: "dashboard_by_uid"}}}, IsNew: true, MayWrite: true}
	return &f, f.complete(c, p)
}

func editPlaylist(c *client) (any, error) {
	uid := c.r.PathValue("uid")
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	f := playlistForm{MayWrite: p.May("playlists:write", "playlists:uid:"+uid)}
	if err := c.get("/api/playlists/"+url.PathEscape(uid), &f.Playlist); err != nil {
		return nil, err
	}
	if err := c.get("/api/playlists/"+url.PathEscape(uid)+"/dashboards", &f.Shown); err != nil {
		return nil, err
	}
	return &f, f.complete(c, p)
}

// complete adds the dashboards and tags that items can refer to.
func (f *playlistForm) complete(c *client, p permissions) error {
	if !p.May("dashboards:read", "dashboards:uid:*") {
		return nil
	}
	if err := c.get("/api/search?limit=500", &f.Hits); err != nil {
		return err
	}
	for _, h := range f.Hits {
		f.Tags = append(f.Tags, h.Tags...)
	}
	slices.Sort(f.Tags)
	f.Tags = slices.Compact(f.Tags)
	return nil
}
