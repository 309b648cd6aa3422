package api

import (
	"cmp"
	"log/slog"
	"net/http"
	"slices"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/loader"
)

func (a *API) roleRoutes() []Route {
	return []Route{
		{"GET", "/api/access-control/roles", Action(host.ActionPluginsWrite), a.roles,
			Doc{Summary: "List the roles that plugins bring", Answer: []role{}}},
		{"GET", "/api/access-control/user/permissions", SignedIn(), a.permissions,
			Doc{Summary: "Tell what the caller may do: actions and their scopes", Answer: map[string][]string{}}},
	}
}

// pluginRoles are the roles that the mounted plugins bring.
type pluginRoles struct {
	revision uint64 // of the loader
	roles    []host.PluginRole
}

// pluginRoles returns the roles as of what is mounted now.
func (a *API) pluginRoles() []host.PluginRole {
	revision := a.loaded.Revision()
	if known := a.brought.Load(); known != nil && known.revision == revision {
		return known.roles
	}
	now := &pluginRoles{revision: revision}
	if a.loaded.TakesRoles() {
		now.roles = rolesOf(a.loaded.Plugins(), a.log)
	}
	a.brought.Store(now)
	return now.roles
}

// rolesOf reads the roles of plugins. One that reaches beyond its plugin is logged
// and does not count.
func rolesOf(plugins []*loader.Plugin, log *slog.Logger) (roles []host.PluginRole) {
	for _, p := range plugins {
		for _, r := range p.Bundle().Metadata.Roles {
			role := host.PluginRole{PluginID: p.ID(), Name: r.Role.Name, Description: r.Role.Description, GrantedTo: r.Grant}
			for _, permission := range r.Role.Permissions {
				role.Permissions = append(role.Permissions, host.Grant{Action: permission.Action, Scope: permission.Scope})
			}
			if err := role.Check(); err != nil {
				log.Warn("role not registered", "plugin", p.ID(), "role", r.Role.Name, "reason", err)
				continue
			}
			roles = append(roles, role)
		}
	}
	return roles
}

// withRoles adds what the roles of plugins give to an identity.
func (a *API) withRoles(who host.Identity) host.Identity {
	for _, role := range a.pluginRoles() {
		if role.IsHeldBy(who) {
			who.Grants = slices.Concat(who.Grants, role.Permissions) // a copy: grants are shared
		}
	}
	return who
}

type permission struct {
	Action string `json:"action"`
	Scope  string `json:"scope,omitempty"`
}

// role is a role that a plugin brings.
type role struct {
	Name        string       `json:"name"`
	DisplayName string       `json:"displayName"`
	Description string       `json:"description"`
	PluginID    string       `json:"pluginId"`
	Permissions []permission `json:"permissions"`
	GrantedTo   []string     `json:"grantedTo"`
}

func (a *API) roles(w http.ResponseWriter, _ *http.Request, _ host.Identity) error {
	return answer(w, http.StatusOK, mapped(a.pluginRoles(), func(r host.PluginRole) role {
		return role{r.FullName(), r.Name, r.Description, r.PluginID,
			mapped(r.Permissions, func(g host.Grant) permission { return permission(g) }), append([]string{}, r.GrantedTo...)}
	}))
}

// permissions tells a caller what they may do: actions and the scopes of each.
func (a *API) permissions(w http.ResponseWriter, _ *http.Request, who host.Identity) error {
	all := map[string][]string{}
	for _, action := range host.Actions() {
		if weakest, _ := host.WeakestRole(action); who.Role >= weakest {
			all[action] = []string{"*"}
		}
	}
	for _, g := range who.Grants {
		all[g.Action] = append(all[g.Action], cmp.Or(g.Scope, "*"))
	}
	for action, scopes := range all {
		slices.Sort(scopes)
		all[action] = slices.Compact(scopes)
	}
	return answer(w, http.StatusOK, all)
}
