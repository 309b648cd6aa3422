package api

import (
	"cmp"
	"context"
	"encoding/json"
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
		{"GET", "/api/search", read.On(all), call(a.search), Doc{Summary: "Search dashboards by title and tags"}},
		// The scope is the uid in the body.
		{"POST", "/api/dashboards/db", write, call(a.saveDashboard), Doc{Summary: "Create or replace a dashboard"}},
		{"GET", "/api/dashboards/uid/{uid}", read.On(one), call(a.dashboard), Doc{Summary: "Get a dashboard"}},
		{"DELETE", "/api/dashboards/uid/{uid}", remove.On(one), call(a.deleteDashboard), Doc{Summary: "Delete a dashboard"}},
	}
}

// dashboardPath is the path of a dashboard.
type dashboardPath struct {
	UID string `path:"uid" noun:"Dashboard"`
}

// searchHit is a dashboard in the result of a search.
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

func (a *API) search(ctx context.Context, who host.Identity, in struct {
	Query     string   `query:"query"`
	Tags      []string `query:"tag"`
	FolderUID string   `query:"folderUIDs"`
	Type      string   `query:"type"`
	pageQuery
}) ([]searchHit, error) {
	if len(in.Tags) > store.MaxSearchTags {
		return nil, host.Invalid("tag", "must not be given more than %d times", store.MaxSearchTags)
	}
	if in.Type != "" && in.Type != dashboardKind {
		return nil, host.Invalid("type", "must be %s: the search finds only dashboards; folders are listed at /api/folders", dashboardKind)
	}
	filter := store.DashboardFilter{Text: in.Query, Tags: in.Tags, FolderUID: in.FolderUID, Page: in.page()}
	found, err := a.store.Dashboards(ctx, who.OrgID, filter)
	return mapped(found, func(d host.Dashboard) searchHit {
		return searchHit{d.ID, d.UID, d.Title, dashboardKind, "db/" + d.Slug(), dashboardURL(d), d.Tags, false, d.FolderUID, d.FolderTitle}
	}), err
}

const dashboardKind = "dash-db"

func dashboardURL(d host.Dashboard) string { return "/d/" + d.UID + "/" + url.PathEscape(d.Slug()) }

// dashboardFull is a dashboard with its model.
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

func (a *API) dashboard(ctx context.Context, who host.Identity, in dashboardPath) (dashboardFull, error) {
	d, err := a.store.Dashboard(ctx, who.OrgID, in.UID)
	if err != nil {
		return dashboardFull{}, err
	}
	_, isReadOnly := a.fixed(in.UID)
	model, err := d.FullModel()
	return dashboardFull{model, dashboardMeta{
		"db", d.Slug(), dashboardURL(d), d.Version, d.Updated.UTC(), d.FolderUID, d.FolderTitle, d.PluginID,
		!isReadOnly && who.Allows(host.ActionDashboardsWrite, "dashboards:uid:"+in.UID),
	}}, err
}

type dashboardBody struct {
	Dashboard json.RawMessage `json:"dashboard" jsonschema:"required"`
	FolderUID *string         `json:"folderUid"` // if absent, the dashboard stays where it is
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

func (a *API) saveDashboard(ctx context.Context, who host.Identity, in struct{ Body dashboardBody }) (dashboardSaved, error) {
	body := in.Body
	if len(body.Dashboard) == 0 || body.Dashboard[0] != '{' {
		return dashboardSaved{}, host.Invalid("dashboard", "is required and must be an object with a title")
	}
	d, err := host.ParseDashboard("dashboard.", body.Dashboard)
	if err != nil {
		return dashboardSaved{}, err
	}
	how := store.Save{Overwrite: body.Overwrite, KeepFolder: body.FolderUID == nil, Check: a.checkDashboardWritable}
	if body.FolderUID != nil {
		d.FolderUID = *body.FolderUID
	}
	if !who.Allows(host.ActionDashboardsWrite, "dashboards:uid:"+cmp.Or(d.UID, "*")) {
		return dashboardSaved{}, host.Forbidden("Permission denied")
	}
	d, err = a.store.SaveDashboard(ctx, who.OrgID, d, how)
	return dashboardSaved{d.ID, d.UID, dashboardURL(d), d.Slug(), "success", d.Version, d.FolderUID}, err
}

// checkDashboardWritable returns an error (host.ErrForbidden) for a dashboard that is
// provisioned from a file.
func (a *API) checkDashboardWritable(uid string) error {
	if file, ok := a.fixed(uid); ok {
		return &host.Error{Category: host.ErrForbidden, ID: "dashboards.readonly",
			Message: "the dashboard is read-only: change " + file + " in the provisioning directory, or set allowUiUpdates: true for its provider"}
	}
	return nil
}

func (a *API) deleteDashboard(ctx context.Context, who host.Identity, in dashboardPath) (deleted, error) {
	if err := a.checkDashboardWritable(in.UID); err != nil {
		return deleted{}, err
	}
	d, err := a.store.DeleteDashboard(ctx, who.OrgID, in.UID)
	return deleted{message{Message: "Dashboard deleted"}, d.ID, d.Title}, err
}
