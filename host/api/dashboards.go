package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// dashboardParents returns the scopes of a dashboard: its own and that of its folder.
func (a *API) dashboardParents(r *http.Request, who host.Identity) ([]string, error) {
	uid := r.PathValue("uid")
	if !host.IsUID(uid) {
		return nil, nil
	}
	folderUID, err := a.Store.DashboardFolder(r.Context(), who.OrgID, uid)
	if errors.Is(err, host.ErrNotFound) {
		return nil, nil // do not reveal which dashboards exist
	}
	return host.DashboardScopes(uid, folderUID), err
}

type dashboardPath struct {
	UID string `path:"uid" noun:"Dashboard"`
}

func (a *API) search(ctx context.Context, who host.Identity, in struct {
	Query      string   `query:"query"`
	Tags       []string `query:"tag"`
	UIDs       []string `query:"dashboardUIDs"`
	FolderUIDs []string `query:"folderUIDs"`
	Type       string   `query:"type"`
	pageQuery
	UID       string   `query:"dashboardUID"` // of older clients, as are the ids
	IDs       []string `query:"dashboardIds"`
	FolderIDs []string `query:"folderIds"`
	IsStarred bool     `query:"starred"`
	IsDeleted bool     `query:"deleted"`
}) ([]hostapi.DashboardHit, error) {
	if len(in.Tags) > store.MaxSearchTags {
		return nil, host.Invalid("tag", "must not be given more than %d times", store.MaxSearchTags)
	}
	if in.IsStarred || in.IsDeleted {
		return []hostapi.DashboardHit{}, nil // this host stores neither
	}
	in.UIDs = append(in.UIDs, in.UID)
	for name, values := range map[string]*[]string{"dashboardUIDs": &in.UIDs, "folderUIDs": &in.FolderUIDs, "dashboardIds": &in.IDs, "folderIds": &in.FolderIDs} {
		// A value can list several, separated by commas.
		*values = strings.FieldsFunc(strings.Join(*values, ","), func(r rune) bool { return r == ',' })
		if len(*values) > store.MaxSearchUIDs {
			return nil, host.Invalid(name, "must not have more than %d values", store.MaxSearchUIDs)
		}
	}
	switch in.Type {
	case "", dashboardKind:
	case folderKind:
		if len(in.Tags) > 0 || len(in.FolderUIDs) > 0 && !slices.Contains(in.FolderUIDs, access.GeneralFolder) {
			return []hostapi.DashboardHit{}, nil // folders have no tags and no parents
		}
		return a.searchFolders(ctx, who, in.Query, in.UIDs, in.page())
	default:
		return nil, host.Invalid("type", "must be %s or %s", dashboardKind, folderKind)
	}
	filter := store.DashboardFilter{Text: in.Query, Tags: in.Tags, UIDs: in.UIDs, FolderUIDs: in.FolderUIDs, IDs: in.IDs, FolderIDs: in.FolderIDs, Page: in.page()}
	if reach := who.Reach(access.DashboardsRead, access.DashboardScope, access.FolderScope); !reach.IsAll {
		filter.Only = &store.Only{UIDs: reach.Named[access.DashboardScope], FolderUIDs: reach.Named[access.FolderScope]}
	}
	found, err := a.Store.Dashboards(ctx, who.OrgID, filter)
	return mapped(found, func(d host.Dashboard) hostapi.DashboardHit {
		return hostapi.DashboardHit{ID: d.ID, UID: d.UID, OrgID: who.OrgID, Title: d.Title, Type: dashboardKind, URI: dashboardURI(d), URL: dashboardURL(d),
			Slug: d.Slug(), Tags: d.Tags, FolderID: d.FolderID, FolderUID: d.FolderUID, FolderTitle: d.FolderTitle, FolderURL: folderURL(d)}
	}), err
}

// searchFolders returns the folders whose title contains a text, with one of the uids if any are given.
func (a *API) searchFolders(ctx context.Context, who host.Identity, text string, uids []string, page store.Page) ([]hostapi.DashboardHit, error) {
	reach, hits := who.Reach(access.FoldersRead, access.FolderScope), []hostapi.DashboardHit{}
	for number := int64(1); ; number++ {
		found, err := a.Store.Folders(ctx, who.OrgID, onlyUIDs(reach, access.FolderScope), store.Page{Limit: gate.MaxPageLength, Number: number})
		for _, f := range found {
			if strings.Contains(host.Fold(f.Title), host.Fold(text)) && (len(uids) == 0 || slices.Contains(uids, f.UID)) {
				hits = append(hits, hostapi.DashboardHit{ID: f.ID, UID: f.UID, OrgID: who.OrgID, Title: f.Title, Type: folderKind,
					URI: "db/" + host.Slug(f.Title), URL: f.URL(), Tags: []string{}})
			}
		}
		if err != nil || len(found) < gate.MaxPageLength {
			return store.Cut(hits, page), err
		}
	}
}

// Kinds of results of a search.
const (
	dashboardKind = "dash-db"
	folderKind    = "dash-folder"
)

// dashboardURI returns the name of a dashboard in old URLs.
func dashboardURI(d host.Dashboard) string { return "db/" + d.Slug() }

// folderURL returns the path of the folder of a dashboard, or "" if it is in none.
func folderURL(d host.Dashboard) string {
	if d.FolderUID == "" {
		return ""
	}
	return host.Folder{UID: d.FolderUID, Title: d.FolderTitle}.URL()
}

func dashboardURL(d host.Dashboard) string { return "/d/" + d.UID + "/" + url.PathEscape(d.Slug()) }

func (a *API) dashboard(ctx context.Context, who host.Identity, in dashboardPath) (hostapi.StoredDashboard, error) {
	d, err := a.Store.Dashboard(ctx, who.OrgID, in.UID)
	if err != nil {
		return hostapi.StoredDashboard{}, err
	}
	model, err := d.FullModel()
	file, isReadOnly := a.ReadOnlyDashboard(in.UID)
	scopes := host.DashboardScopes(d.UID, d.FolderUID)
	mayWrite := who.Allows(access.DashboardsWrite, scopes...)
	return hostapi.StoredDashboard{Dashboard: model, Meta: hostapi.DashboardMeta{
		Type: "db", Slug: d.Slug(), URL: dashboardURL(d), Version: d.Version, Created: timeOrNil(d.Created), Updated: d.Updated.UTC(),
		FolderID: d.FolderID, FolderUID: d.FolderUID, FolderTitle: d.FolderTitle, FolderURL: folderURL(d), PluginID: d.PluginID,
		Provisioned: isReadOnly, File: file,
		CanEdit: mayWrite && !isReadOnly, CanSave: mayWrite && !isReadOnly, CanDelete: mayWrite || who.Allows(access.DashboardsDelete, scopes...), CanAdmin: who.Role == host.RoleAdmin,
	}}, err
}

type dashboardBody struct {
	Dashboard json.RawMessage `json:"dashboard" jsonschema:"required"`
	FolderUID *string         `json:"folderUid"`
	FolderID  *int64          `json:"folderId"` // if no folderUid is given; without either, the dashboard stays where it is
	Overwrite bool            `json:"overwrite"`
}

func (a *API) saveDashboard(ctx context.Context, who host.Identity, in struct{ Body dashboardBody }) (hostapi.SavedDashboard, error) {
	body := in.Body
	if len(body.Dashboard) == 0 || body.Dashboard[0] != '{' {
		return hostapi.SavedDashboard{}, host.Invalid("dashboard", "is required and must be an object with a title")
	}
	d, err := host.ParseDashboard("dashboard.", body.Dashboard)
	if err != nil {
		return hostapi.SavedDashboard{}, err
	}
	how := store.Save{Overwrite: body.Overwrite, KeepFolder: body.FolderUID == nil && body.FolderID == nil, May: who.MaySaveDashboard, Check: a.checkDashboardWritable}
	if d.FolderUID, err = a.targetFolder(ctx, who, *cmp.Or(body.FolderUID, new(string)), *cmp.Or(body.FolderID, new(int64))); err != nil {
		return hostapi.SavedDashboard{}, err
	}
	d, err = a.Store.SaveDashboard(ctx, who.OrgID, d, how)
	err = hidden(err, who, dashboardWriters(), access.DashboardScope+"*", access.FolderScope+"*") // it may name an id
	return hostapi.SavedDashboard{ID: d.ID, UID: d.UID, URL: dashboardURL(d), Slug: d.Slug(), Status: "success", Version: d.Version, FolderUID: d.FolderUID}, err
}

func dashboardWriters() []string {
	return []string{access.DashboardsWrite, access.DashboardsCreate}
}

// targetFolder returns the uid of the folder in which a caller wants to save a dashboard,
// or "" for none. The numeric id applies if uid is empty.
func (a *API) targetFolder(ctx context.Context, who host.Identity, uid string, id int64) (string, error) {
	if uid == access.GeneralFolder || uid == "" && id == 0 {
		return "", nil
	}
	if uid != "" {
		return uid, nil
	}
	f, err := a.Store.FolderByID(ctx, who.OrgID, id)
	return f.UID, hidden(err, who, dashboardWriters(), access.DashboardScope+"*", access.FolderScope+"*")
}

// checkDashboardWritable returns host.ErrForbidden for a dashboard that is provisioned from a file.
func (a *API) checkDashboardWritable(uid string) error {
	if file, ok := a.ReadOnlyDashboard(uid); ok {
		return &host.Error{Category: host.ErrForbidden, ID: "dashboards.readonly",
			Message: "the dashboard is read-only: change " + file + " in the provisioning directory, or set allowUiUpdates: true for its provider"}
	}
	return nil
}

type dashboardDeleted struct {
	deleted
	UID string `json:"uid"`
}

func (a *API) deleteDashboard(ctx context.Context, who host.Identity, in dashboardPath) (dashboardDeleted, error) {
	if err := a.checkDashboardWritable(in.UID); err != nil {
		return dashboardDeleted{}, err
	}
	d, err := a.Store.DeleteDashboard(ctx, who.OrgID, in.UID)
	return dashboardDeleted{deleted{message{Message: "Dashboard " + d.Title + " deleted"}, d.ID, d.Title}, in.UID}, err
}
