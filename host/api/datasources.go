package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
)

func (a *API) dataSourceRoutes() []Route {
	const all, one = "datasources:uid:*", "datasources:uid:{uid}"
	read, write := Action(host.ActionDatasourcesRead), Action(host.ActionDatasourcesWrite)
	create := Action(host.ActionDatasourcesCreate, host.ActionDatasourcesWrite)
	remove := Action(host.ActionDatasourcesDelete, host.ActionDatasourcesWrite)
	ask := Action(host.ActionDatasourcesQuery).On(one)
	return []Route{
		{"GET", "/api/datasources", read.On(all), a.dataSources,
			Doc{Summary: "List data sources", Answer: []dataSource{}}},
		{"POST", "/api/datasources", create.On(all), a.createDataSource,
			Doc{Summary: "Create a data source", Body: dataSourceBody{}, Answer: dataSourceSaved{}}},
		{"GET", "/api/datasources/name/{name}", read.On(all), a.dataSourceByName,
			Doc{Summary: "Read a data source by its name", Answer: dataSource{}}},
		{"GET", "/api/datasources/uid/{uid}", read.On(one), a.dataSource,
			Doc{Summary: "Read a data source", Answer: dataSource{}}},
		{"PUT", "/api/datasources/uid/{uid}", write.On(one), a.updateDataSource,
			Doc{Summary: "Replace a data source; secrets that are not given stay", Body: dataSourceBody{}, Answer: dataSourceSaved{}}},
		{"DELETE", "/api/datasources/uid/{uid}", remove.On(one), a.deleteDataSource,
			Doc{Summary: "Delete a data source", Answer: dataSourceDeleted{}}},
		{"GET", "/api/datasources/uid/{uid}/health", ask, a.dataSourceHealth,
			Doc{Summary: "Ask a backend for the health of a data source", Answer: pluginHealth{}, Also: http.StatusServiceUnavailable}},
		{"", "/api/datasources/uid/{uid}/resources", ask, a.dataSourceResource,
			Doc{Summary: "Call a plugin's own endpoints with a data source"}},
		{"", "/api/datasources/uid/{uid}/resources/{path...}", ask, a.dataSourceResource,
			Doc{Summary: "Call a plugin's own endpoints with a data source"}},
	}
}

// dataSource is a data source in an answer. Of its secrets only the names are told.
type dataSource struct {
	ID               int64           `json:"id"`
	UID              string          `json:"uid"`
	OrgID            int64           `json:"orgId"`
	Name             string          `json:"name"`
	Type             string          `json:"type"`
	Access           string          `json:"access"`
	URL              string          `json:"url"`
	User             string          `json:"user"`
	Database         string          `json:"database"`
	BasicAuth        bool            `json:"basicAuth"`
	BasicAuthUser    string          `json:"basicAuthUser"`
	WithCredentials  bool            `json:"withCredentials"`
	IsDefault        bool            `json:"isDefault"`
	JSONData         json.RawMessage `json:"jsonData"`
	SecureJSONFields map[string]bool `json:"secureJsonFields"`
	Version          int64           `json:"version"`
	ReadOnly         bool            `json:"readOnly"`
}

// accessProxy is how data sources are reached: through the host.
const accessProxy = "proxy"

func dataSourceOf(d host.DataSource) dataSource {
	return dataSource{
		ID: d.ID, UID: d.UID, OrgID: d.OrgID, Name: d.Name, Type: d.Type, Access: accessProxy, URL: d.URL, User: d.User,
		Database: d.Database, BasicAuth: d.BasicAuth, BasicAuthUser: d.BasicAuthUser, IsDefault: d.IsDefault,
		JSONData: d.JSON, SecureJSONFields: secretFields(d.SecretNames), Version: d.Version,
	}
}

func secretFields(names []string) map[string]bool {
	fields := map[string]bool{}
	for _, name := range names {
		fields[name] = true
	}
	return fields
}

// settingsBody are the settings of a data source or an app in a request.
type settingsBody struct {
	JSONData       json.RawMessage    `json:"jsonData"`
	SecureJSONData map[string]*string `json:"secureJsonData"` // null and "" remove
}

// visible returns jsonData if it is an object or absent.
func (b settingsBody) visible() (json.RawMessage, error) {
	if len(b.JSONData) == 0 || string(b.JSONData) == "null" {
		return nil, nil
	}
	if b.JSONData[0] != '{' {
		return nil, host.Invalid("jsonData", "must be an object")
	}
	return b.JSONData, nil
}

func (b settingsBody) secrets() map[string]string {
	out := map[string]string{}
	for name, value := range b.SecureJSONData {
		out[name] = ""
		if value != nil {
			out[name] = *value
		}
	}
	return out
}

// dataSourceBody is what create and update accept.
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
	settingsBody
}

func (a *API) readDataSource(w http.ResponseWriter, r *http.Request) (host.DataSource, error) {
	b, err := decode[dataSourceBody](w, r)
	if err != nil {
		return host.DataSource{}, err
	}
	if b.Access != "" && b.Access != accessProxy {
		return host.DataSource{}, host.Invalid("access", "must be %s: browsers do not reach data sources directly", accessProxy)
	}
	visible, err := b.visible()
	return host.DataSource{
		UID: b.UID, Name: b.Name, Type: b.Type, URL: b.URL, User: b.User, Database: b.Database, BasicAuth: b.BasicAuth,
		BasicAuthUser: b.BasicAuthUser, IsDefault: b.IsDefault, JSON: visible, Secrets: b.secrets(),
	}, err
}

func (a *API) dataSources(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	found, err := a.store.DataSources(r.Context(), who.OrgID)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, dataSourceOf))
}

func (a *API) createDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	d, err := a.readDataSource(w, r)
	if err != nil {
		return err
	}
	if d, err = a.store.CreateDataSource(r.Context(), who, d); err != nil {
		return err
	}
	return answer(w, http.StatusOK, savedDataSource(d, "Datasource added"))
}

// dataSourceSaved is the answer to a change.
type dataSourceSaved struct {
	message
	ID         int64      `json:"id"`
	Name       string     `json:"name"`
	DataSource dataSource `json:"datasource"`
}

func savedDataSource(d host.DataSource, text string) dataSourceSaved {
	return dataSourceSaved{message{Message: text}, d.ID, d.Name, dataSourceOf(d)}
}

func (a *API) dataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	d, err := a.storedDataSource(r, who)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, dataSourceOf(d))
}

func (a *API) storedDataSource(r *http.Request, who host.Identity) (host.DataSource, error) {
	uid, err := pathUID(r, "Data source")
	if err != nil {
		return host.DataSource{}, err
	}
	return a.store.DataSource(r.Context(), who.OrgID, uid)
}

func (a *API) dataSourceByName(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	name := r.PathValue("name")
	if !isPlain(name) {
		return host.NotFound("Data source")
	}
	d, err := a.store.DataSourceByName(r.Context(), who.OrgID, name)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, dataSourceOf(d))
}

func (a *API) updateDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Data source")
	if err != nil {
		return err
	}
	d, err := a.readDataSource(w, r)
	if err != nil {
		return err
	}
	d.UID = uid
	if d.IsDefault && !who.Allows(host.ActionDatasourcesWrite, "datasources:uid:*") { // it takes that from another
		return host.Forbidden("Permission denied: isDefault changes other data sources too")
	}
	if d, err = a.store.UpdateDataSource(r.Context(), who, d); err != nil {
		return err
	}
	return answer(w, http.StatusOK, savedDataSource(d, "Datasource updated"))
}

type dataSourceDeleted struct {
	message
	ID int64 `json:"id"`
}

func (a *API) deleteDataSource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Data source")
	if err != nil {
		return err
	}
	d, err := a.store.DeleteDataSource(r.Context(), who, uid)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, dataSourceDeleted{message{Message: "Data source deleted"}, d.ID})
}

func (a *API) dataSourceHealth(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, d, err := a.openDataSource(r, who)
	if err != nil {
		return err
	}
	return a.checkHealth(w, r, p, contextOf(p, who, settings{dataSource: &d}))
}

func (a *API) dataSourceResource(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	p, d, err := a.openDataSource(r, who)
	if err != nil {
		return err
	}
	return a.callResource(w, r, p, contextOf(p, who, settings{dataSource: &d}))
}

// openDataSource returns the data source of the path with its secrets, and its
// plugin.
func (a *API) openDataSource(r *http.Request, who host.Identity) (*loader.Plugin, host.DataSource, error) {
	uid, err := pathUID(r, "Data source")
	if err != nil {
		return nil, host.DataSource{}, err
	}
	d, err := a.store.Unlock(r.Context(), who.OrgID, uid)
	if err != nil {
		return nil, d, err
	}
	p, err := a.pluginOf(d)
	return p, d, err
}

// pluginOf returns the plugin of a data source.
func (a *API) pluginOf(d host.DataSource) (*loader.Plugin, error) {
	p, ok := a.loaded.Plugin(d.Type)
	if !ok || p.Bundle().Metadata.Type != bundle.TypeDatasource {
		return nil, &host.Error{Category: host.ErrNotFound, Message: "the data source plugin " + d.Type + " is not mounted"}
	}
	return p, nil
}

// dataSourceFor returns the data source that a query names, with its secrets, and its
// plugin. It is named by its uid, or by the id of its plugin, which without a stored
// one stands for an empty one.
func (a *API) dataSourceFor(ctx context.Context, who host.Identity, ref dataSourceRef) (*loader.Plugin, host.DataSource, error) {
	d, err := a.namedDataSource(ctx, who, ref)
	if err != nil {
		return nil, d, err
	}
	if !who.Allows(host.ActionDatasourcesQuery, "datasources:uid:"+d.UID) {
		return nil, d, host.Forbidden("Permission denied")
	}
	if d.ID != 0 { // it is stored
		if d, err = a.store.Unlock(ctx, d.OrgID, d.UID); err != nil {
			return nil, d, err
		}
	}
	p, err := a.pluginOf(d)
	return p, d, err
}

func (a *API) namedDataSource(ctx context.Context, who host.Identity, ref dataSourceRef) (host.DataSource, error) {
	pluginID := ref.Type
	if ref.UID != "" {
		pluginID = ref.UID // until it turns out to be the uid of a data source
	}
	unknown := &host.Error{Category: host.ErrNotFound, Message: fmt.Sprintf("there is no data source %q", pluginID)}
	if !isPlain(pluginID) {
		return host.DataSource{}, unknown
	}
	if ref.UID != "" {
		if d, err := a.store.DataSource(ctx, who.OrgID, ref.UID); !errors.Is(err, host.ErrNotFound) {
			return d, err
		}
	}
	p, ok := a.loaded.Plugin(pluginID)
	if !ok || p.Bundle().Metadata.Type != bundle.TypeDatasource {
		return host.DataSource{}, unknown
	}
	d, err := a.store.DataSourceOfType(ctx, who.OrgID, pluginID)
	if errors.Is(err, host.ErrNotFound) {
		return implicitDataSource(p, who), nil
	}
	return d, err
}

// implicitDataSource is what a plugin's own id stands for while nobody has made a
// data source of it.
func implicitDataSource(p *loader.Plugin, who host.Identity) host.DataSource {
	m := p.Bundle().Metadata
	return host.DataSource{OrgID: who.OrgID, UID: m.ID, Name: m.Name, Type: m.ID, JSON: json.RawMessage("{}")}
}
