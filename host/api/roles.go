package api

import (
	"cmp"
	"context"
	"slices"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

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
