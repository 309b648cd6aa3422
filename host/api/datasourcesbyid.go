package api

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
)

// dataSourceIDRoutes are the routes of data sources by numeric id and by name, which older
// clients and frontends use. Each does what the route by uid does.
func (a *API) dataSourceIDRoutes() []Route {
	read, write, query := []string{access.DatasourcesRead}, []string{access.DatasourcesWrite}, []string{access.DatasourcesQuery}
	remove := []string{access.DatasourcesDelete, access.DatasourcesWrite}
	return []Route{
		{"GET", "/api/datasources/{id}", action(read...), a.byID(read, call(a.dataSource)), doc{Summary: "Get a data source by its numeric id"}},
		{"PUT", "/api/datasources/{id}", action(write...), a.byID(write, call(a.updateDataSource)), doc{Summary: "Replace a data source by its numeric id"}},
		{"DELETE", "/api/datasources/{id}", action(remove...), a.byID(remove, call(a.deleteDataSource)), doc{Summary: "Delete a data source by its numeric id"}},
		{"", "/api/datasources/{id}/resources/{path...}", action(query...), a.byID(query, raw(a.dataSourceResource)), doc{Summary: "Call a resource of a data source by its numeric id"}},
		{"", "/api/datasources/proxy/{id}/{path...}", action(query...), a.byID(query, raw(a.proxyDataSource)), doc{Summary: "Forward a request through a route of a data source by its numeric id"}},
		{"GET", "/api/datasources/name/{name}", action(read...), a.byName(read, call(a.dataSource)), doc{Summary: "Get a data source by its name"}},
		{"DELETE", "/api/datasources/name/{name}", action(remove...), a.byName(remove, call(a.deleteDataSource)), doc{Summary: "Delete a data source by its name"}},
	}
}

// byID makes a handler for a data source by its numeric id from one for its uid.
func (a *API) byID(actions []string, h handler) handler {
	return a.withUID(actions, h, func(r *http.Request, who host.Identity) (host.DataSource, error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil || id < 1 {
			return host.DataSource{}, host.Invalid("id", "must be a numeric id")
		}
		return a.Store.DataSourceByID(r.Context(), who.OrgID, id)
	})
}

// byName makes a handler for a data source by its name from one for its uid.
func (a *API) byName(actions []string, h handler) handler {
	return a.withUID(actions, h, func(r *http.Request, who host.Identity) (host.DataSource, error) {
		name := r.PathValue("name")
		if !isPlain(name) {
			return host.DataSource{}, host.NotFound("Data source")
		}
		return a.Store.DataSourceByName(r.Context(), who.OrgID, name)
	})
}

// withUID makes a handler that finds a data source and passes its uid on. The route allows
// who may perform one of the actions on anything, so it checks the scope.
func (a *API) withUID(actions []string, h handler, find func(*http.Request, host.Identity) (host.DataSource, error)) handler {
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
	return h
}
