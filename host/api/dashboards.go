package api

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

func (a *API) dashboardRoutes() []Route {
	const all, one = "dashboards:uid:*", "dashboards:uid:{uid}"
	read, write := Action(host.ActionDashboardsRead), Action(host.ActionDashboardsWrite)
	remove := Action(host.ActionDashboardsDelete, host.ActionDashboardsWrite)
	return []Route{
		{"GET", "/api/search", read.On(all), a.search,
			Doc{Summary: "Search dashboards by title and tags", Query: []string{"query", "tag list", "folderUIDs", "type", "limit int", "page int"}, Answer: []searchHit{}}},
		{"POST", "/api/dashboards/db", write, a.saveDashboard,
			Doc{Summary: "Create or replace a dashboard", Body: dashboardBody{}, Answer: dashboardSaved{}}}, // on the uid in its body
		{"GET", "/api/dashboards/uid/{uid}", read.On(one), a.dashboard,
			Doc{Summary: "Read a dashboard", Answer: dashboardFull{}}},
		{"DELETE", "/api/dashboards/uid/{uid}", remove.On(one), a.deleteDashboard,
			Doc{Summary: "Delete a dashboard", Answer: deleted{}}},
	}
}

// searchHit is a dashboard that a search found.
type searchHit struct {
	ID          int64    `json:"id"`
	UID         string   `json:"uid"`
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	URI         string   `json:"uri"`
	URL         string   `json:"url"`
	Tags        []string `json:"tags"`
	IsStarred   bool     `json:"isStarred"`
	FolderUID   string   `json:"folderUid,omitempty"`
	FolderTitle string   `json:"folderTitle,omitempty"`
}

func (a *API) search(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	values, err := query(r)
	if err != nil {
		return err
	}
	filter := store.DashboardFilter{Text: values.Get("query"), Tags: values["tag"], FolderUID: values.Get("folderUIDs")}
	if filter.Page, err = page(values, "limit"); err != nil {
		return err
	}
	if len(filter.Tags) > store.MaxSearchTags {
		return host.Invalid("tag", "is given %d times, at most %d are allowed", len(filter.Tags), store.MaxSearchTags)
	}
	if kind := values.Get("type"); kind != "" && kind != dashboardKind {
		return host.Invalid("type", "must be %s: only dashboards are searched; folders are at /api/folders", dashboardKind)
	}
	found, err := a.store.Dashboards(r.Context(), who.OrgID, filter)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, func(d host.Dashboard) searchHit {
		return searchHit{d.ID, d.UID, d.Title, dashboardKind, "db/" + d.Slug(), dashboardURL(d), d.Tags, false, d.FolderUID, d.FolderTitle}
	}))
}

const dashboardKind = "dash-db"

func dashboardURL(d host.Dashboard) string { return "/d/" + d.UID + "/" + url.PathEscape(d.Slug()) }

// dashboardFull is a dashboard read on its own: its model, and what the host knows
// of it.
type dashboardFull struct {
	Dashboard json.RawMessage `json:"dashboard"`
	Meta      dashboardMeta   `json:"meta"`
}

type dashboardMeta struct {
	Type        string    `json:"type"`
	Slug        string    `json:"slug"`
	URL         string    `json:"url"`
	Version     int64     `json:"version"`
	Updated     time.Time `json:"updated"`
	FolderUID   string    `json:"folderUid"`
	FolderTitle string    `json:"folderTitle"`
	PluginID    string    `json:"pluginId,omitempty"`
	CanEdit     bool      `json:"canEdit"`
}

func (a *API) dashboard(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Dashboard")
	if err != nil {
		return err
	}
	d, err := a.store.Dashboard(r.Context(), who.OrgID, uid)
	if err != nil {
		return err
	}
	model, err := d.FullModel()
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, dashboardFull{model, dashboardMeta{"db", d.Slug(), dashboardURL(d), d.Version, d.Updated.UTC(), d.FolderUID, d.FolderTitle, d.PluginID,
		who.Allows(host.ActionDashboardsWrite, "dashboards:uid:"+uid)}})
}

type dashboardBody struct {
	Dashboard json.RawMessage `json:"dashboard" jsonschema:"required"`
	FolderUID *string         `json:"folderUid"` // where it is, if absent
	Overwrite bool            `json:"overwrite"`
}

type dashboardSaved struct {
	ID        int64  `json:"id"`
	UID       string `json:"uid"`
	URL       string `json:"url"`
	Slug      string `json:"slug"`
	Status    string `json:"status"`
	Version   int64  `json:"version"`
	FolderUID string `json:"folderUid"`
}

func (a *API) saveDashboard(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[dashboardBody](w, r)
	if err != nil {
		return err
	}
	if len(body.Dashboard) == 0 || body.Dashboard[0] != '{' {
		return host.Invalid("dashboard", "is required: an object with a title")
	}
	d, err := host.ParseDashboard("dashboard.", body.Dashboard)
	if err != nil {
		return err
	}
	how := store.Save{Overwrite: body.Overwrite, KeepFolder: body.FolderUID == nil}
	if body.FolderUID != nil {
		d.FolderUID = *body.FolderUID
	}
	if !who.Allows(host.ActionDashboardsWrite, "dashboards:uid:"+cmp.Or(d.UID, "*")) {
		return host.Forbidden("Permission denied")
	}
	if d, err = a.store.SaveDashboard(r.Context(), who.OrgID, d, how); err != nil {
		return err
	}
	return answer(w, http.StatusOK, dashboardSaved{d.ID, d.UID, dashboardURL(d), d.Slug(), "success", d.Version, d.FolderUID})
}

func (a *API) deleteDashboard(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Dashboard")
	if err != nil {
		return err
	}
	d, err := a.store.DeleteDashboard(r.Context(), who.OrgID, uid)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, deleted{message{Message: "Dashboard deleted"}, d.ID, d.Title})
}
