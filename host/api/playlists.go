package api

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
)

func (a *API) playlistRoutes() []Route {
	read, write := Action(access.PlaylistsRead), Action(access.PlaylistsWrite)
	const all, one = "playlists:uid:*", "playlists:uid:{uid}"
	return []Route{
		{"GET", "/api/playlists", read.On(all), call(a.playlists), Doc{Summary: "List playlists; the parameter query selects those whose name contains it"}},
		{"POST", "/api/playlists", write.On(all), call(a.createPlaylist), Doc{Summary: "Create a playlist"}},
		{"GET", "/api/playlists/{uid}", read.On(one), call(a.playlist), Doc{Summary: "Get a playlist with its items"}},
		{"PUT", "/api/playlists/{uid}", write.On(one), call(a.updatePlaylist), Doc{Summary: "Replace a playlist and its items"}},
		{"DELETE", "/api/playlists/{uid}", write.On(one), call(a.deletePlaylist), Doc{Summary: "Delete a playlist"}},
		{"GET", "/api/playlists/{uid}/items", read.On(one), call(a.playlistItems), Doc{Summary: "List the items of a playlist"}},
		{"GET", "/api/playlists/{uid}/dashboards", read.On(one), call(a.playlistDashboards), Doc{Summary: "List the dashboards that the items of a playlist refer to"}},
	}
}

// playlistPath is the path of a playlist.
type playlistPath struct {
	UID string `path:"uid" noun:"Playlist"`
}

// playlistHead is a playlist without its items.
type playlistHead struct {
	UID      string        `json:"uid"`
	Name     string        `json:"name"`
	Interval host.Interval `json:"interval"`
}

func headOf(p host.Playlist) playlistHead { return playlistHead{p.UID, p.Name, p.Interval} }

// playlistFull is a playlist with its items.
type playlistFull struct {
	playlistHead
	OrgID string         `json:"orgId"`
	Items []playlistItem `json:"items"`
}

type playlistItem struct {
	ID          int64         `json:"id"`
	PlaylistUID string        `json:"playlistUid"`
	Type        host.ItemType `json:"type"`
	Value       string        `json:"value"`
	Order       int           `json:"order"`
	Title       string        `json:"title"`
}

func fullOf(p host.Playlist) playlistFull {
	return playlistFull{headOf(p), strconv.FormatInt(p.OrgID, 10), itemsOf(p)}
}

func itemsOf(p host.Playlist) []playlistItem {
	return mapped(p.Items, func(i host.PlaylistItem) playlistItem {
		return playlistItem{i.ID, p.UID, i.Type, i.Value, i.Order, i.Title}
	})
}

// playlistBody is the body of create and update requests.
type playlistBody struct {
	Name     string         `json:"name" jsonschema:"required"`
	Interval string         `json:"interval" jsonschema:"required,pattern=^[0-9]+[smhdwM]$"`
	Items    []playlistPart `json:"items"`
}

type playlistPart struct {
	PlaylistUID string        `json:"playlistUid"` // ignored in favor of the path
	Type        host.ItemType `json:"type" jsonschema:"required,enum=dashboard_by_id,enum=dashboard_by_uid,enum=dashboard_by_tag"`
	Value       string        `json:"value" jsonschema:"required"`
	Order       *float64      `json:"order" jsonschema:"multipleOf=1,minimum=0"` // its position in the array if absent
	Title       string        `json:"title"`
}

func (b playlistBody) playlist(uid string) (host.Playlist, error) {
	p := host.Playlist{UID: uid, Name: b.Name, Interval: host.Interval(b.Interval)}
	if err := host.CheckItemCount(len(b.Items)); err != nil { // before they are copied
		return p, err
	}
	for n, i := range b.Items {
		item := host.PlaylistItem{Type: i.Type, Value: i.Value, Order: n + 1, Title: i.Title}
		if i.Order != nil {
			if *i.Order != math.Trunc(*i.Order) || math.Abs(*i.Order) > math.MaxInt64 {
				return p, host.Invalid(fmt.Sprintf("items[%d].order", n), "must be an integer, found the number %v", *i.Order)
			}
			item.Order = int(max(-1, min(*i.Order, 1<<53))) // only the sequence matters
		}
		p.Items = append(p.Items, item)
	}
	return p, nil
}

func (a *API) playlists(ctx context.Context, who host.Identity, in struct {
	Query string `query:"query"`
	pageQuery
}) ([]playlistHead, error) {
	found, err := a.store.Playlists(ctx, who.OrgID, in.Query, in.page())
	return mapped(found, headOf), err
}

func (a *API) createPlaylist(ctx context.Context, who host.Identity, in struct{ Body playlistBody }) (playlistHead, error) {
	p, err := in.Body.playlist("")
	if err == nil {
		p, err = a.store.CreatePlaylist(ctx, who.OrgID, p)
	}
	return headOf(p), err
}

func (a *API) updatePlaylist(ctx context.Context, who host.Identity, in struct {
	playlistPath
	Body playlistBody
}) (playlistFull, error) {
	p, err := in.Body.playlist(in.UID)
	if err == nil {
		p, err = a.store.UpdatePlaylist(ctx, who.OrgID, p)
	}
	return fullOf(p), err
}

func (a *API) deletePlaylist(ctx context.Context, who host.Identity, in playlistPath) (struct{}, error) {
	return struct{}{}, a.store.DeletePlaylist(ctx, who.OrgID, in.UID)
}

func (a *API) playlist(ctx context.Context, who host.Identity, in playlistPath) (playlistFull, error) {
	p, err := a.store.Playlist(ctx, who.OrgID, in.UID)
	return fullOf(p), err
}

func (a *API) playlistItems(ctx context.Context, who host.Identity, in playlistPath) ([]playlistItem, error) {
	p, err := a.store.Playlist(ctx, who.OrgID, in.UID)
	return itemsOf(p), err
}

// playlistDashboard is a dashboard that a playlist item refers to.
type playlistDashboard struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Order int    `json:"order"`
	UID   string `json:"uid"`
	Slug  string `json:"slug"`
	URL   string `json:"url"`
	URI   string `json:"uri"`
}

func (a *API) playlistDashboards(ctx context.Context, who host.Identity, in struct {
	playlistPath
	pageQuery
}) ([]playlistDashboard, error) {
	found, err := a.store.PlaylistDashboards(ctx, who.OrgID, in.UID, in.longPage())
	found = slices.DeleteFunc(found, func(p host.PlaylistDashboard) bool {
		return !who.Allows(access.DashboardsRead, host.DashboardScopes(p.UID, p.FolderUID)...)
	})
	return mapped(found, func(p host.PlaylistDashboard) playlistDashboard {
		d := host.Dashboard{UID: p.UID, Title: p.Title}
		return playlistDashboard{p.ID, p.Title, p.Order, p.UID, d.Slug(), dashboardURL(d), dashboardURI(d)}
	}), err
}
