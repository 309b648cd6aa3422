package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/proxy"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type dataSourcePath struct {
	UID string `path:"uid" noun:"Data source"`
}

// accessProxy is the only supported access mode: through the host.
const accessProxy = "proxy"

func (a *API) dataSourceOf(d host.DataSource) hostapi.DataSource {
	_, isReadOnly := a.ReadOnly(d.UID)
	name, logo := "", ""
	if p, err := a.pluginOf(d); err == nil {
		m := p.Bundle().Metadata
		name, logo = m.Name, publicPath(m.ID, m.Info.Logos.Small)
	}
	return hostapi.DataSource{
		ID: d.ID, UID: d.UID, OrgID: d.OrgID, Name: d.Name, Type: d.Type, Access: accessProxy, URL: d.URL, User: d.User,
		Database: d.Database, BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser, IsDefault: d.IsDefault,
		JSONData: d.JSON, SecureJSONFields: secretFields(d.SecretNames), Version: d.Version, ReadOnly: isReadOnly, TypeName: name, TypeLogoURL: logo,
	}
}

func secretFields(names []string) map[string]bool {
	fields := map[string]bool{}
	for _, name := range names {
		fields[name] = true
	}
	return fields
}

type settingsBody struct {
	JSONData       json.RawMessage   `json:"jsonData"`
	SecureJSONData map[string]string `json:"secureJsonData"` // null and "" remove a secret
}

// visible returns jsonData, which must be an object or absent.
func (b settingsBody) visible() (json.RawMessage, error) {
	if len(b.JSONData) == 0 || string(b.JSONData) == "null" {
		return nil, nil
	}
	if b.JSONData[0] != '{' {
		return nil, host.Invalid("jsonData", "must be an object")
	}
	return b.JSONData, nil
}

type dataSourceBody struct {
	UID           string `json:"uid"`
	Name          string `json:"name" jsonschema:"required"`
	Type          string `json:"type" jsonschema:"required"`
	Access        string `json:"access"`
	URL           string `json:"url"`
	User          string `json:"user"`
	Database      string `json:"database"`
	BasicAuth     bool   `json:"basicAuth"`
	BasicAuthUser string `json:"basicAuthUser"`
	IsDefault     bool   `json:"isDefault"`
	Version       int64  `json:"version"` // an update of an older version fails; 0 replaces the latest
	settingsBody
}

func (b dataSourceBody) dataSource(who host.Identity) (host.DataSource, error) {
	if b.Access != "" && b.Access != accessProxy {
		return host.DataSource{}, host.Invalid("access", "must be %s: browsers cannot access data sources directly", accessProxy)
	}
	visible, err := b.visible()
	if err == nil && b.IsDefault && !who.Allows(access.DatasourcesWrite, access.DatasourceScope+"*") {
		err = host.Forbidden("Permission denied: isDefault also changes other data sources")
	}
	return host.DataSource{
		UID: b.UID, Name: b.Name, Type: b.Type, URL: b.URL, User: b.User, Database: b.Database, BasicAuth: b.BasicAuth,
		BasicAuthUser: b.BasicAuthUser, IsDefault: b.IsDefault, Version: b.Version, JSON: visible, Secrets: b.SecureJSONData,
	}, err
}

func (a *API) dataSources(ctx context.Context, who host.Identity, in pageQuery) ([]hostapi.DataSource, error) {
	reach := who.Reach(access.DatasourcesRead, access.DatasourceScope)
	found, err := a.Store.DataSources(ctx, who.OrgID, onlyUIDs(reach, access.DatasourceScope), in.longPage())
	return mapped(found, a.dataSourceOf), err
}

type dataSourceSaved struct {
	message
	ID         int64              `json:"id"`
	Name       string             `json:"name"`
	DataSource hostapi.DataSource `json:"datasource"`
}

func (a *API) createDataSource(ctx context.Context, who host.Identity, in struct{ Body dataSourceBody }) (dataSourceSaved, error) {
	d, err := in.Body.dataSource(who)
	if err != nil {
		return dataSourceSaved{}, err
	}
	d, err = a.Store.CreateDataSource(ctx, who, d)
	return dataSourceSaved{message{Message: "Datasource added"}, d.ID, d.Name, a.dataSourceOf(d)}, err
}

func (a *API) dataSource(ctx context.Context, who host.Identity, in dataSourcePath) (hostapi.DataSource, error) {
	d, err := a.Store.DataSource(ctx, who.OrgID, in.UID)
	return a.dataSourceOf(d), err
}

func (a *API) updateDataSource(ctx context.Context, who host.Identity, in struct {
	dataSourcePath
	Body dataSourceBody
}) (dataSourceSaved, error) {
	if err := a.checkWritable(in.UID); err != nil {
		return dataSourceSaved{}, err
	}
	d, err := in.Body.dataSource(who)
	if err != nil {
		return dataSourceSaved{}, err
	}
	d.UID = in.UID
	if p, ok := a.Plugins.Plugin(d.Type); ok {
		d.Origins = func(d host.DataSource) []string {
			return proxy.Origins(p.Bundle().Metadata.Routes, d.URL, d.JSON, d.Secrets)
		}
	}
	d, err = a.Store.UpdateDataSource(ctx, who, d)
	return dataSourceSaved{message{Message: "Datasource updated"}, d.ID, d.Name, a.dataSourceOf(d)}, err
}

// checkWritable returns host.ErrForbidden for a data source that is provisioned from a file.
func (a *API) checkWritable(uid string) error {
	if file, ok := a.ReadOnly(uid); ok {
		return &host.Error{Category: host.ErrForbidden, ID: "datasources.readonly",
			Message: "the data source is read-only: change " + file + " in the provisioning directory, or set editable: true there"}
	}
	return nil
}

type dataSourceDeleted struct {
	message
	ID int64 `json:"id"`
}

func (a *API) deleteDataSource(ctx context.Context, who host.Identity, in dataSourcePath) (dataSourceDeleted, error) {
	if err := a.checkWritable(in.UID); err != nil {
		return dataSourceDeleted{}, err
	}
	d, err := a.Store.DeleteDataSource(ctx, who, in.UID)
	return dataSourceDeleted{message{Message: "Data source deleted"}, d.ID}, err
}

func (a *API) dataSourceHealth(ctx context.Context, who host.Identity, in dataSourcePath) (checkedHealth, error) {
	p, d, err := a.openDataSource(ctx, who, in.UID)
	if err != nil {
		return checkedHealth{}, err
	}
	return checkHealth(ctx, p, who, settings{dataSource: &d}, http.StatusBadRequest)
}

func (a *API) dataSourceResource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, d, err := a.openDataSource(r.Context(), who, r.PathValue("uid"))
	if err != nil {
		return err
	}
	return callResource(w, r, p, who, settings{dataSource: &d})
}

// openDataSource returns a data source with its secrets, and its plugin.
func (a *API) openDataSource(ctx context.Context, who host.Identity, uid string) (*loader.Plugin, host.DataSource, error) {
	if !host.IsUID(uid) {
		return nil, host.DataSource{}, host.NotFound("Data source")
	}
	d, err := a.Store.Unlock(ctx, who.OrgID, uid)
	if err != nil {
		return nil, d, err
	}
	p, err := a.pluginOf(d)
	return p, d, err
}

// by returns the route of a data source by its numeric id or its name that does what the handler does
// for its uid. It allows who may perform an action on anything; its handler checks the scope.
func (a *API) by(find func(*http.Request, host.Identity) (host.DataSource, error),
	method, pattern string, h handler, summary string, actions ...string) Route {
	serve := h.serve
	h.inputs = slices.DeleteFunc(slices.Clone(h.inputs), func(in input) bool { return in.from == "path" })
	h.serve = func(w http.ResponseWriter, r *http.Request, who host.Identity, status int) error {
		d, err := find(r, who)
		if err != nil {
			return hidden(err, who, actions, access.DatasourceScope+"*")
		}
		if !allowsAny(who, actions, access.DatasourceScope+d.UID) {
			return host.Forbidden("Permission denied")
		}
		r.SetPathValue("uid", d.UID)
		return serve(w, r, who, status)
	}
	return Route{method, pattern, action(actions...), h, doc{Summary: summary}}
}

func (a *API) dataSourceByID(r *http.Request, who host.Identity) (host.DataSource, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil || id < 1 {
		return host.DataSource{}, host.Invalid("id", "must be a numeric id")
	}
	return a.Store.DataSourceByID(r.Context(), who.OrgID, id)
}

func (a *API) dataSourceByName(r *http.Request, who host.Identity) (host.DataSource, error) {
	name := r.PathValue("name")
	if !isPlain(name) {
		return host.DataSource{}, host.NotFound("Data source")
	}
	return a.Store.DataSourceByName(r.Context(), who.OrgID, name)
}
