package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"time"
)

// hit is a dashboard in a list, as GET /api/search returns it.
type hit struct {
	UID, Title, FolderUID, FolderTitle string
	Tags                               []string
}

// folder is a folder, as GET /api/folders returns it.
type folder struct{ UID, Title string }

// dashboards loads the list of dashboards that a search finds.
func dashboards(c *client) (any, error) {
	q := c.r.URL.Query()
	var data struct {
		Query, Folder string
		Hits          []hit
		Folders       []folder
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
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	data.MayWrite = p.May("dashboards:write", "dashboards:uid:*")
	if p.May("folders:read", "folders:uid:*") {
		err = c.get("/api/folders?limit=5000", &data.Folders)
	}
	return data, err
}

// dashboardForm is the page of one dashboard, as JSON.
type dashboardForm struct {
	IsNew               bool
	UID, Title          string
	Text                string // JSON
	FolderUID, PluginID string
	FolderTitle         string
	Version             int64
	Updated             time.Time
	Folders             []folder
	MayWrite, MayDelete bool
}

func newDashboard(c *client) (any, error) {
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	if !p.May("dashboards:write", "dashboards:uid:*") {
		return nil, &apiError{403, "Permission denied"}
	}
	source, err := defaultSource(c)
	if err != nil {
		source = json.RawMessage(`{"uid":"grafana"}`) // every host has it
	}
	f := dashboardForm{IsNew: true, MayWrite: true, FolderUID: c.r.URL.Query().Get("folder"), Text: fmt.Sprintf(exampleDashboard, source)}
	return f, c.get("/api/folders?limit=5000", &f.Folders)
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

// storedDashboard is a dashboard, as GET /api/dashboards/uid/{uid} returns it.
type storedDashboard struct {
	Dashboard json.RawMessage
	Meta      struct {
		Version                          int64
		Updated                          time.Time
		FolderUID, FolderTitle, PluginID string
	}
}

func editDashboard(c *client) (any, error) {
	uid := c.r.PathValue("uid")
	var d storedDashboard
	if err := c.get("/api/dashboards/uid/"+url.PathEscape(uid), &d); err != nil {
		return nil, err
	}
	var head struct{ Title string }
	if _, err := decode(d.Dashboard, &head); err != nil {
		return nil, err
	}
	p, err := c.permissions()
	if err != nil {
		return nil, err
	}
	scope := "dashboards:uid:" + uid
	f := dashboardForm{UID: uid, Title: cmp.Or(head.Title, uid), Text: indentJSON(d.Dashboard), FolderUID: d.Meta.FolderUID, FolderTitle: d.Meta.FolderTitle,
		PluginID: d.Meta.PluginID, Version: d.Meta.Version, Updated: d.Meta.Updated,
		MayWrite: p.May("dashboards:write", scope), MayDelete: p.May("dashboards:write", scope) || p.May("dashboards:delete", scope)}
	if p.May("folders:read", "folders:uid:*") {
		err = c.get("/api/folders?limit=5000", &f.Folders)
	}
	return f, err
}
