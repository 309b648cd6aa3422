package api

import (
	"net/http"
	"strconv"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) playlistRoutes() []Route {
	read, write := Action(host.ActionPlaylistsRead), Action(host.ActionPlaylistsWrite)
	const all, one = "playlists:uid:*", "playlists:uid:{uid}"
	return []Route{
		{"GET", "/api/playlists", read.On(all), a.playlists,
			Doc{Summary: "List playlists, or those whose name contains query", Query: []string{"query", "limit int", "page int"}, Answer: []playlistHead{}}},
		{"POST", "/api/playlists", write.On(all), a.createPlaylist,
			Doc{Summary: "Create a playlist", Body: playlistBody{}, Answer: playlistHead{}}},
		{"GET", "/api/playlists/{uid}", read.On(one), a.playlist,
			Doc{Summary: "Read a playlist with its items", Answer: playlistFull{}}},
		{"PUT", "/api/playlists/{uid}", write.On(one), a.updatePlaylist,
			Doc{Summary: "Replace a playlist and its items", Body: playlistBody{}, Answer: playlistFull{}}},
		{"DELETE", "/api/playlists/{uid}", write.On(one), a.deletePlaylist,
			Doc{Summary: "Delete a playlist", Answer: struct{}{}}},
		{"GET", "/api/playlists/{uid}/items", read.On(one), a.playlistItems,
			Doc{Summary: "Read the items of a playlist", Answer: []playlistItem{}}},
		{"GET", "/api/playlists/{uid}/dashboards", read.On(one), a.playlistDashboards,
			Doc{Summary: "Resolve the items of a playlist to dashboards", Answer: []playlistDashboard{}}},
	}
}

// playlistHead is a playlist in a list and after it was created.
type playlistHead struct {
	UID      string        `json:"uid"`
	Name     string        `json:"name"`
	Interval host.Interval `json:"interval"`
}

func headOf(p host.Playlist) playlistHead { return playlistHead{p.UID, p.Name, p.Interval} }

// playlistFull is a playlist read on its own and after it was updated.
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

// playlistBody is what create and update accept.
type playlistBody struct {
	Name     string         `json:"name" jsonschema:"required"`
	Interval string         `json:"interval" jsonschema:"required,pattern=^[0-9]+[smhdwM]$"`
	Items    []playlistPart `json:"items"`
}

type playlistPart struct {
	PlaylistUID string        `json:"playlistUid"` // the one of the path counts
	Type        host.ItemType `json:"type" jsonschema:"required,enum=dashboard_by_id,enum=dashboard_by_tag"`
	Value       string        `json:"value" jsonschema:"required"`
	Order       *int          `json:"order"` // its place in the array if absent
	Title       string        `json:"title"`
}

func (b playlistBody) playlist(uid string) host.Playlist {
	p := host.Playlist{UID: uid, Name: b.Name, Interval: host.Interval(b.Interval)}
	for n, i := range b.Items {
		item := host.PlaylistItem{Type: i.Type, Value: i.Value, Order: n + 1, Title: i.Title}
		if i.Order != nil {
			item.Order = *i.Order
		}
		p.Items = append(p.Items, item)
	}
	return p
}

func (a *API) playlists(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	values, err := query(r)
	if err != nil {
		return err
	}
	page, err := page(values, "limit")
	if err != nil {
		return err
	}
	found, err := a.store.Playlists(r.Context(), who.OrgID, values.Get("query"), page)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, headOf))
}

func (a *API) createPlaylist(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[playlistBody](w, r)
	if err != nil {
		return err
	}
	p, err := a.store.CreatePlaylist(r.Context(), who.OrgID, body.playlist(""))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, headOf(p))
}

func (a *API) updatePlaylist(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Playlist")
	if err != nil {
		return err
	}
	body, err := decode[playlistBody](w, r)
	if err != nil {
		return err
	}
	p, err := a.store.UpdatePlaylist(r.Context(), who.OrgID, body.playlist(uid))
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, fullOf(p))
}

func (a *API) deletePlaylist(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Playlist")
	if err != nil {
		return err
	}
	if err := a.store.DeletePlaylist(r.Context(), who.OrgID, uid); err != nil {
		return err
	}
	return answer(w, http.StatusOK, struct{}{})
}

func (a *API) playlist(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.storedPlaylist(r, who)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, fullOf(p))
}

func (a *API) playlistItems(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, err := a.storedPlaylist(r, who)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, itemsOf(p))
}

func (a *API) storedPlaylist(r *http.Request, who host.Identity) (host.Playlist, error) {
	uid, err := pathUID(r, "Playlist")
	if err != nil {
		return host.Playlist{}, err
	}
	return a.store.Playlist(r.Context(), who.OrgID, uid)
}

// playlistDashboard is a dashboard that an item of a playlist resolved to.
type playlistDashboard struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Order int    `json:"order"`
}

func (a *API) playlistDashboards(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Playlist")
	if err != nil {
		return err
	}
	found, err := a.store.PlaylistDashboards(r.Context(), who.OrgID, uid)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, func(d host.PlaylistDashboard) playlistDashboard {
		return playlistDashboard{d.ID, d.Title, d.Order}
	}))
}
