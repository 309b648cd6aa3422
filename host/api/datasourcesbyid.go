package api

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
)

// byID returns the route of a data source by its numeric id that does what the handler does for its uid.
func (a *API) byID(method, pattern string, h handler, summary string, actions ...string) Route {
	h = a.withUID(actions, h, func(r *http.Request, who host.Identity) (host.DataSource, error) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil || id < 1 {
			return host.DataSource{}, host.Invalid("id", "must be a numeric id")
		}
		return a.Store.DataSourceByID(r.Context(), who.OrgID, id)
	})
	return Route{method, pattern, action(actions...), h, doc{Summary: summary}}
}

// byName is byID for the name of a data source.
func (a *API) byName(method, pattern string, h handler, summary string, actions ...string) Route {
	h = a.withUID(actions, h, func(r *http.Request, who host.Identity) (host.DataSource, error) {
		name := r.PathValue("name")
		if !isPlain(name) {
			return host.DataSource{}, host.NotFound("Data source")
		}
		return a.Store.DataSourceByName(r.Context(), who.OrgID, name)
	})
	return Route{method, pattern, action(actions...), h, doc{Summary: summary}}
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
