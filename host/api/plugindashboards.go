package api

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/limit"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// setImported describes the dashboard that an offered one became.
func setImported(o *hostapi.PluginDashboard, d host.Dashboard) {
	o.Imported, o.ImportedURI, o.ImportedURL, o.ImportedRevision = true, dashboardURI(d), dashboardURL(d), d.Version
	o.DashboardID, o.FolderID, o.FolderUID, o.UID, o.Slug = d.ID, d.FolderID, d.FolderUID, d.UID, d.Slug()
}

func (a *API) pluginDashboards(ctx context.Context, who host.Identity, p *loader.Plugin, in struct {
	pluginPath
	pageQuery
}) ([]hostapi.PluginDashboard, error) {
	stored, err := a.Store.DashboardsOfPlugin(ctx, who.OrgID, p.ID())
	if err != nil {
		return nil, err
	}
	imported := map[string]host.Dashboard{}
	for _, d := range stored {
		if who.Allows(access.DashboardsRead, host.DashboardScopes(d.UID, d.FolderUID)...) {
			imported[d.UID] = d
		}
	}
	page := in.page()
	page.Limit = min(page.Length(), gate.MaxOfferedDashboards)
	all := []hostapi.PluginDashboard{}
	for _, include := range store.Cut(dashboardIncludes(p, who), page) {
		o := hostapi.PluginDashboard{PluginID: p.ID(), Path: include.Path, Title: include.Name, UID: include.UID}
		d, err := readDashboard(p.Bundle(), include)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil {
			o.Error = err.Error()
		} else {
			o.UID, o.Title, o.Slug, o.Revision = d.UID, d.Title, d.Slug(), d.Version
			if known, ok := imported[d.UID]; ok {
				setImported(&o, known)
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// dashboardIncludes returns the dashboards in the includes of a plugin whose requirements
// in plugin.json the caller meets.
func dashboardIncludes(p *loader.Plugin, who host.Identity) (all []bundle.Include) {
	m := p.Bundle().Metadata
	for _, i := range m.Includes {
		if i.Type == "dashboard" && i.Path != "" && isShown(m, i, who) {
			all = append(all, i)
		}
	}
	return all
}

// readDashboard reads a dashboard of a plugin. It needs a uid, by which the host finds it
// again; the uid of the entry in includes applies if the file has none.
func readDashboard(b bundle.Plugin, include bundle.Include) (host.Dashboard, error) {
	f, err := b.Open(include.Path)
	if err != nil {
		return host.Dashboard{}, host.Invalid("path", "file %s of the plugin cannot be read: %v", include.Path, err)
	}
	defer f.Close()
	model, err := limit.ReadAll(f, gate.MaxDashboardFile)
	if err != nil {
		return host.Dashboard{}, host.Invalid("path", "file %s of the plugin cannot be read: %v", include.Path, err)
	}
	d, err := host.ParseDashboard("", model)
	if err != nil {
		return d, fmt.Errorf("%s: %w", include.Path, err)
	}
	if d.UID == "" {
		d.UID = include.UID
	}
	if d.UID == "" {
		return d, host.Invalid("uid", "is required in %s; otherwise each import would create another dashboard", include.Path)
	}
	d.PluginID = b.Metadata.ID
	return d, d.Check()
}

// importBody names a dashboard of a plugin, or contains one.
type importBody struct {
	PluginID  string          `json:"pluginId"`
	Path      string          `json:"path"`
	Dashboard json.RawMessage `json:"dashboard"`
	Overwrite bool            `json:"overwrite"`
	FolderID  int64           `json:"folderId"`
	FolderUID string          `json:"folderUid"`
	Inputs    []importInput   `json:"inputs"`
}

func (a *API) importDashboard(ctx context.Context, who host.Identity, in struct{ Body importBody }) (hostapi.PluginDashboard, error) {
	body := in.Body
	d, err := a.dashboardToImport(who, body)
	if err != nil {
		return hostapi.PluginDashboard{}, err
	}
	if d.Model, err = fillInputs(d.Model, body.Inputs); err != nil {
		return hostapi.PluginDashboard{}, err
	}
	filled, err := host.ParseDashboard("dashboard.", d.Model)
	if err != nil {
		return hostapi.PluginDashboard{}, err
	}
	d.Title, d.Tags = filled.Title, filled.Tags
	if d.FolderUID, err = a.targetFolder(ctx, who, body.FolderUID, body.FolderID); err != nil {
		return hostapi.PluginDashboard{}, err
	}
	out := hostapi.PluginDashboard{PluginID: d.PluginID, Path: body.Path, Title: d.Title, Revision: d.Version}
	d.ID, d.Version = 0, 0 // the store assigns them
	d, err = a.Store.SaveDashboard(ctx, who.OrgID, d, store.Save{Overwrite: body.Overwrite, May: who.MaySaveDashboard, Check: a.checkDashboardWritable})
	setImported(&out, d)
	return out, err
}

func (a *API) dashboardToImport(who host.Identity, body importBody) (host.Dashboard, error) {
	if body.PluginID == "" {
		if len(body.Dashboard) == 0 || body.Dashboard[0] != '{' {
			return host.Dashboard{}, host.Invalid("dashboard", "is required and must be an object with a title, unless pluginId and path name a dashboard of a plugin")
		}
		return host.ParseDashboard("dashboard.", body.Dashboard)
	}
	if !who.Allows(access.PluginsAccess, "plugins:id:"+body.PluginID) {
		return host.Dashboard{}, host.Forbidden("Permission denied")
	}
	p, err := a.plugin(body.PluginID)
	if err != nil {
		return host.Dashboard{}, err
	}
	for _, include := range dashboardIncludes(p, who) {
		if include.Path == body.Path {
			return readDashboard(p.Bundle(), include)
		}
	}
	return host.Dashboard{}, &host.Error{Category: host.ErrNotFound, Field: "path", Message: "the plugin offers no dashboard with this path; see /api/plugins/" + p.ID() + "/dashboards"}
}
