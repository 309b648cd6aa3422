package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

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

// dashboardIncludes returns the dashboards in plugin.json that the caller may see.
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

// importInput is a value for an input of a shared dashboard, such as a data source.
type importInput struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	PluginID string `json:"pluginId"`
	Value    string `json:"value"`
}

// fillInputs replaces "${NAME}" for each input in the "__inputs" of the model, which it removes.
func fillInputs(model json.RawMessage, given []importInput) (json.RawMessage, error) {
	var head struct {
		Inputs []importInput `json:"__inputs"`
	}
	if err := json.Unmarshal(model, &head); err != nil {
		return nil, host.Invalid("dashboard.__inputs", "must be an array of objects with name, type and value")
	}
	if len(head.Inputs) == 0 {
		return model, nil
	}
	if len(head.Inputs) > gate.MaxInputs {
		return nil, host.Invalid("dashboard.__inputs", "must not have more than %d entries, found %d", gate.MaxInputs, len(head.Inputs))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(model, &fields); err != nil {
		return nil, host.Invalid("dashboard", "must be an object: %v", err)
	}
	delete(fields, "__inputs")
	delete(fields, "__requires")
	plain, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	text, length := string(plain), len(plain)
	var pairs []string
	for _, declared := range head.Inputs {
		value := declared.Value
		for _, g := range given {
			if g.Name == declared.Name && g.Value != "" {
				value = g.Value
			}
		}
		if declared.Name == "" || value == "" {
			return nil, host.Invalid("inputs", "must contain a value for %q, which the dashboard declares in __inputs", declared.Name)
		}
		name, value := inString("${"+declared.Name+"}"), inString(value)
		length += strings.Count(text, name) * max(0, len(value)-len(name))
		pairs = append(pairs, name, value)
	}
	if length > gate.MaxDashboardFile { // few inputs can make a dashboard very long
		return nil, host.Invalid("inputs", "must not make the dashboard longer than %d bytes", gate.MaxDashboardFile)
	}
	return json.RawMessage(strings.NewReplacer(pairs...).Replace(text)), nil
}

// inString returns text as it is written in a string in JSON.
func inString(text string) string {
	quoted, _ := json.Marshal(text) // a string always encodes
	return string(quoted[1 : len(quoted)-1])
}
