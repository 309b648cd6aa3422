package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func dashboards(c *client) (any, error) {
	q := c.r.URL.Query()
	var data struct {
		Query, Folder string
		Hits          []hostapi.DashboardHit
		Folders       []hostapi.Folder
		MayWrite      bool
	}
	data.Query, data.Folder = q.Get("query"), q.Get("folder")
	search := url.Values{"query": {data.Query}, "limit": {"500"}}
	if data.Folder != "" {
		search.Set("folderUIDs", data.Folder)
	}
	if err := c.get("/api/search?"+search.Encode(), &data.Hits); err != nil {
		return nil, err
	}
	data.MayWrite = c.May(access.DashboardsWrite, access.DashboardScope+"*")
	return &data, c.folders(&data.Folders)
}

// folders loads the folders that a dashboard can be in, if the caller may list them.
func (c *client) folders(into *[]hostapi.Folder) error {
	if !c.May(access.FoldersRead, access.FolderScope+"*") {
		return nil
	}
	return c.get("/api/folders?limit=5000", into)
}

type dashboardForm struct {
	IsNew               bool
	UID, Title          string
	Text                string // JSON
	FolderUID, PluginID string
	FolderTitle         string
	Version             int64
	Updated             time.Time
	Folders             []hostapi.Folder
	Queries             []dashboardQuery
	MayWrite, MayDelete bool
}

func newDashboard(c *client) (any, error) {
	if !c.May(access.DashboardsWrite, access.DashboardScope+"*") {
		return nil, &apiError{403, "Permission denied"}
	}
	source, err := defaultSource(c)
	if err != nil {
		return nil, err
	}
	f := dashboardForm{IsNew: true, MayWrite: true, FolderUID: c.r.URL.Query().Get("folder"), Text: fmt.Sprintf(exampleDashboard, source)}
	return &f, c.folders(&f.Folders)
}

// exampleDashboard is the JSON of a new dashboard, in which %s stands for the data source.
const exampleDashboard = `{
  "title": "New dashboard",
  "time": {"from": "now-1h", "to": "now"},
  "panels": [
    {
      "type": "timeseries",
      "title": "Example",
      "gridPos": {"x": 0, "y": 0, "w": 12, "h": 8},
      "datasource": %s,
      "targets": [{"refId": "A"}]
    }
  ]
}`

func editDashboard(c *client) (any, error) {
	uid := c.r.PathValue("uid")
	var d hostapi.StoredDashboard
	if err := c.get("/api/dashboards/uid/"+url.PathEscape(uid), &d); err != nil {
		return nil, err
	}
	var head struct{ Title string }
	if err := json.Unmarshal(d.Dashboard, &head); err != nil {
		return nil, err
	}
	scope := access.DashboardScope + uid
	f := dashboardForm{UID: uid, Title: cmp.Or(head.Title, uid), Text: indentJSON(d.Dashboard), FolderUID: d.Meta.FolderUID, FolderTitle: d.Meta.FolderTitle,
		PluginID: d.Meta.PluginID, Version: d.Meta.Version, Updated: d.Meta.Updated,
		Queries: queriesIn(d.Dashboard), MayWrite: c.May(access.DashboardsWrite, scope)}
	f.MayDelete = f.MayWrite || c.May(access.DashboardsDelete, scope)
	return &f, c.folders(&f.Folders)
}

type dashboardQuery struct {
	Panel, RefID string
	Link         string // to the page that runs it
}

// queriesIn returns the queries of a dashboard that name a data source, without replacing variables.
func queriesIn(model json.RawMessage) (all []dashboardQuery) {
	type reference struct{ UID, Type string }
	type panel struct {
		Title      string
		DataSource reference
		Targets    []map[string]json.RawMessage
		Panels     json.RawMessage
	}
	var dashboard struct{ Panels json.RawMessage }
	_ = json.Unmarshal(model, &dashboard) // another form has no queries
	for rest := []json.RawMessage{dashboard.Panels}; len(rest) > 0; rest = rest[1:] {
		var panels []panel
		_ = json.Unmarshal(rest[0], &panels)
		for _, p := range panels {
			rest = append(rest, p.Panels)
			for _, target := range p.Targets {
				source, refID := p.DataSource, ""
				_ = json.Unmarshal(target["datasource"], &source)
				_ = json.Unmarshal(target["refId"], &refID)
				key := "uid:" + source.UID
				if source.UID == "" {
					key = "type:" + source.Type
				}
				if source == (reference{}) || strings.HasPrefix(source.UID, "$") || strings.HasPrefix(source.UID, "-- ") {
					continue
				}
				delete(target, "datasource")
				link := url.Values{"for": {key}, "query": {indentJSON(target)}}
				all = append(all, dashboardQuery{p.Title, refID, "/explore?" + link.Encode()})
			}
		}
	}
	return all
}

func defaultSource(c *client) (json.RawMessage, error) {
	var settings hostapi.FrontendSettings
	if err := c.get("/api/frontend/settings", &settings); err != nil {
		return nil, err
	}
	uid := settings.Datasources[settings.DefaultDatasource].UID
	uid = cmp.Or(uid, "grafana") // every host has it
	return json.Marshal(map[string]string{"uid": uid})
}

// folders loads the page of all folders.
func folders(c *client) (any, error) {
	var data struct {
		All                            []hostapi.Folder
		MayCreate, MayWrite, MayDelete bool
	}
	const all = access.FolderScope + "*"
	data.MayWrite = c.May(access.FoldersWrite, all)
	data.MayCreate, data.MayDelete = data.MayWrite || c.May(access.FoldersCreate, all), data.MayWrite || c.May(access.FoldersDelete, all)
	return &data, c.get("/api/folders?limit=5000", &data.All)
}

func playlists(c *client) (any, error) {
	var data struct {
		Query    string
		All      []hostapi.Playlist
		MayWrite bool
	}
	data.MayWrite = c.May(access.PlaylistsWrite, "playlists:uid:*")
	data.Query = c.r.URL.Query().Get("query")
	return &data, c.get("/api/playlists?"+url.Values{"query": {data.Query}}.Encode(), &data.All)
}

type playlistForm struct {
	hostapi.Playlist
	IsNew    bool
	MayWrite bool
	Hits     []hostapi.DashboardHit
	Tags     []string
	Shown    []hostapi.PlaylistDashboard // the dashboards of a stored playlist, in order
}

func newPlaylist(c *client) (any, error) {
	if !c.May(access.PlaylistsWrite, "playlists:uid:*") {
		return nil, &apiError{403, "Permission denied"}
	}
	f := playlistForm{Playlist: hostapi.Playlist{Interval: "30s", Items: []hostapi.PlaylistItem{{Type: "dashboard_by_uid"}}}, IsNew: true, MayWrite: true}
	return &f, f.complete(c)
}

func editPlaylist(c *client) (any, error) {
	uid := c.r.PathValue("uid")
	f := playlistForm{MayWrite: c.May(access.PlaylistsWrite, "playlists:uid:"+uid)}
	if err := c.get("/api/playlists/"+url.PathEscape(uid), &f.Playlist); err != nil {
		return nil, err
	}
	if err := c.get("/api/playlists/"+url.PathEscape(uid)+"/dashboards", &f.Shown); err != nil {
		return nil, err
	}
	return &f, f.complete(c)
}

// complete adds the dashboards and tags that items can refer to.
func (f *playlistForm) complete(c *client) error {
	if !c.May(access.DashboardsRead, access.DashboardScope+"*") {
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
