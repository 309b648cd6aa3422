package api

import (
	"cmp"
	"context"
	"log/slog"
	"slices"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/loader"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func (a *API) roleRoutes() []Route {
	return []Route{
		{"GET", "/api/access-control/roles", Action(access.PluginsWrite), call(a.roles), Doc{Summary: "List the roles that plugins define"}},
		{"GET", "/api/access-control/user/permissions", SignedIn(), call(a.permissions), Doc{Summary: "List the actions that the caller may perform, with their scopes"}},
	}
}

// pluginRoles are the roles that the mounted plugins define.
type pluginRoles struct {
	revision uint64 // of the loader
	roles    []host.PluginRole
	refused  []bundle.Fault
}

// pluginRoles returns the roles of the plugins that are mounted now.
func (a *API) pluginRoles() *pluginRoles {
	revision := a.loaded.Revision()
	known := a.roleCache.Load()
	if known == nil {
		known = &pluginRoles{}
	} else if known.revision == revision {
		return known
	}
	now := &pluginRoles{revision: revision}
	if a.loaded.TakesRoles() {
		now.roles, now.refused = rolesOf(a.loaded.Plugins(), a.log)
	}
	bundle.KeepSince(known.refused, now.refused, a.clock())
	a.roleCache.Store(now)
	return now
}

// rolesOf returns the valid roles of plugins. A role that reaches beyond its plugin is
// logged and refused.
func rolesOf(plugins []*loader.Plugin, log *slog.Logger) (roles []host.PluginRole, refused []bundle.Fault) {
	for _, p := range plugins {
		for _, r := range p.Bundle().Metadata.Roles {
			role := host.PluginRole{PluginID: p.ID(), Name: r.Role.Name, Description: r.Role.Description, GrantedTo: r.Grant}
			for _, permission := range r.Role.Permissions {
				role.Permissions = append(role.Permissions, host.Grant{Action: permission.Action, Scope: permission.Scope})
			}
			if err := role.Check(); err != nil {
				log.Warn("role not registered", "plugin", p.ID(), "role", r.Role.Name, "error", err)
				refused = append(refused, bundle.Fault{Code: bundle.FaultRole, PluginID: p.ID(), Path: p.Bundle().Dir, Reason: "role not registered: " + err.Error()})
				continue
			}
			roles = append(roles, role)
		}
	}
	return roles, refused
}

// withRoles adds the grants of plugin roles to an identity.
func (a *API) withRoles(who host.Identity) host.Identity {
	for _, role := range a.pluginRoles().roles {
		if role.IsHeldBy(who) {
			who.Grants = slices.Concat(who.Grants, role.Permissions) // a copy: grants are shared
		}
	}
	return who
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
