package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/provisioning"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type playlistPath struct {
	UID string `path:"uid" noun:"Playlist"`
}

// playlistFull is a playlist whose items are present even if there are none.
type playlistFull struct {
	hostapi.Playlist
	Items []hostapi.PlaylistItem `json:"items"`
}

func (a *API) playlists(ctx context.Context, who host.Identity, in struct {
	Query string `query:"query"`
	pageQuery
}) ([]hostapi.Playlist, error) {
	return a.Store.Playlists(ctx, who.OrgID, in.Query, in.page())
}

func (a *API) createPlaylist(ctx context.Context, who host.Identity, in struct{ Body hostapi.Playlist }) (hostapi.Playlist, error) {
	p, err := a.Store.CreatePlaylist(ctx, who.OrgID, in.Body)
	return hostapi.Playlist{UID: p.UID, Name: p.Name, Interval: p.Interval}, err
}

func (a *API) updatePlaylist(ctx context.Context, who host.Identity, in struct {
	playlistPath
	Body hostapi.Playlist
}) (playlistFull, error) {
	in.Body.UID = in.UID
	p, err := a.Store.UpdatePlaylist(ctx, who.OrgID, in.Body)
	return playlistFull{p, p.Items}, err
}

func (a *API) deletePlaylist(ctx context.Context, who host.Identity, in playlistPath) (struct{}, error) {
	return struct{}{}, a.Store.DeletePlaylist(ctx, who.OrgID, in.UID)
}

func (a *API) exportPlaylists(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	found, err := a.Store.Playlists(r.Context(), who.OrgID, "", store.Page{Limit: gate.MaxPlaylists})
	if err != nil {
		return err
	}
	var list []hostapi.Playlist
	for _, p := range found {
		full, err := a.Store.Playlist(r.Context(), who.OrgID, p.UID)
		if errors.Is(err, host.ErrNotFound) {
			continue // deleted in between
		}
		if err != nil {
			return err
		}
		list = append(list, full)
	}
	text, err := provisioning.ExportPlaylists(list)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/yaml")
	w.Header().Set("Content-Disposition", `attachment; filename="playlists.yaml"`)
	_, err = w.Write(text)
	return err
}

func (a *API) playlist(ctx context.Context, who host.Identity, in playlistPath) (playlistFull, error) {
	p, err := a.Store.Playlist(ctx, who.OrgID, in.UID)
	return playlistFull{p, p.Items}, err
}

func (a *API) playlistItems(ctx context.Context, who host.Identity, in playlistPath) ([]hostapi.PlaylistItem, error) {
	p, err := a.Store.Playlist(ctx, who.OrgID, in.UID)
	return p.Items, err
}

func (a *API) playlistDashboards(ctx context.Context, who host.Identity, in struct {
	playlistPath
	pageQuery
}) ([]hostapi.PlaylistDashboard, error) {
	found, err := a.Store.PlaylistDashboards(ctx, who.OrgID, in.UID, in.longPage())
	found = slices.DeleteFunc(found, func(p store.PlaylistDashboard) bool {
		return !who.Allows(access.DashboardsRead, host.DashboardScopes(p.UID, p.FolderUID)...)
	})
	return mapped(found, func(p store.PlaylistDashboard) hostapi.PlaylistDashboard {
		d := host.Dashboard{UID: p.UID, Title: p.Title}
		return hostapi.PlaylistDashboard{ID: p.ID, Title: p.Title, Order: p.Order, UID: p.UID, Slug: d.Slug(), URL: dashboardURL(d), URI: dashboardURI(d)}
	}), err
}
