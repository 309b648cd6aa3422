package api

import (
	"cmp"
	"context"
	"slices"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) roleRoutes() []Route {
	return []Route{
		{"GET", "/api/access-control/roles", action(access.PluginsWrite), call(a.roles), doc{Summary: "List the roles that plugins define"}},
		{"GET", "/api/access-control/user/permissions", signedIn(), call(a.permissions), doc{Summary: "List the actions that the caller may perform, with their scopes"}},
	}
}

func (a *API) roles(_ context.Context, who host.Identity, in pageQuery) ([]hostapi.PluginRole, error) {
	all := slices.DeleteFunc(slices.Clone(a.pluginRoles().roles), func(r host.PluginRole) bool { return !manages(who, r.PluginID) })
	return mapped(store.Cut(all, in.longPage()), func(r host.PluginRole) hostapi.PluginRole {
		return hostapi.PluginRole{Name: r.FullName(), DisplayName: r.Name, Description: r.Description, PluginID: r.PluginID,
			Permissions: mapped(r.Permissions, func(g host.Grant) hostapi.Permission { return hostapi.Permission(g) }), GrantedTo: append([]string{}, r.GrantedTo...)}
	}), nil
}

// permissions returns the actions that the caller may perform, with their scopes.
func (a *API) permissions(_ context.Context, who host.Identity, _ none) (map[string][]string, error) {
	all := map[string][]string{}
	for _, action := range who.Role.Actions() {
		all[action] = []string{"*"}
	}
	for _, g := range who.Grants {
		all[g.Action] = append(all[g.Action], cmp.Or(g.Scope, "*"))
	}
	for action, scopes := range all {
		slices.Sort(scopes)
		all[action] = slices.Compact(scopes)
	}
	return all, nil
}
