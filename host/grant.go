package host

import (
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host/gate"
)

// Grant is a permission in addition to a basic role.
type Grant struct {
	Action string
	Scope  string // see access.Covers
}

// String returns the grant for logs.
func (g Grant) String() string {
	if g.Scope == "" {
		return g.Action
	}
	return g.Action + " on " + g.Scope
}

// CheckGrants returns an error (ErrInvalid) if permissions cannot be granted.
func CheckGrants(grants []Grant) error {
	if len(grants) > gate.MaxGrants {
		return Invalid("iam.permissions", "must not have more than %d entries, found %d", gate.MaxGrants, len(grants))
	}
	for _, g := range grants {
		if err := checkName("iam.permissions.action", g.Action); err != nil {
			return err
		}
		if strings.ContainsAny(g.Action, " *") || !strings.Contains(g.Action, ":") {
			return Invalid("iam.permissions.action", "must have the form resource:verb, found %s", Quote(g.Action))
		}
		if err := checkText("iam.permissions.scope", g.Scope); err != nil {
			return err
		}
	}
	return nil
}

// DashboardScopes returns the scopes that cover a dashboard: its own and that of its folder.
func DashboardScopes(uid, folderUID string) []string {
	if folderUID == "" {
		folderUID = access.GeneralFolder
	}
	return []string{access.DashboardScope + uid, access.FolderScope + folderUID}
}

// MaySaveDashboard returns an error (ErrForbidden) if the identity may not replace the
// stored dashboard, or create one if stored is nil. To create a dashboard or to move it
// requires a permission on its new folder or on all dashboards.
func (i Identity) MaySaveDashboard(stored *Dashboard, d Dashboard) error {
	scopes := DashboardScopes(d.UID, d.FolderUID)
	mayPlace := i.Allows(access.DashboardsWrite, access.DashboardScope+"*", scopes[1]) || i.Allows(access.DashboardsCreate, scopes[1])
	mayReplace := stored == nil || i.Allows(access.DashboardsWrite, DashboardScopes(stored.UID, stored.FolderUID)...)
	isMoved := stored == nil || stored.FolderUID != d.FolderUID
	if !mayReplace || isMoved && !mayPlace {
		return Forbidden("Permission denied")
	}
	return nil
}

// Reach is the part of a list for which an identity holds an action.
type Reach struct {
	IsAll bool
	Named map[string][]string // otherwise, the identifiers that grants name, by the prefix of their scopes
}

// Reach returns what the identity sees of a list whose objects have scopes with any of
// the prefixes, such as "dashboards:uid:".
func (i Identity) Reach(action string, prefixes ...string) Reach {
	all := make([]string, len(prefixes))
	for n, prefix := range prefixes {
		all[n] = prefix + "*"
	}
	if i.Allows(action, all...) {
		return Reach{IsAll: true}
	}
	named := map[string][]string{}
	for _, g := range i.Grants {
		for _, prefix := range prefixes {
			if id, ok := strings.CutPrefix(g.Scope, prefix); ok && g.Action == action {
				named[prefix] = append(named[prefix], id)
			}
		}
	}
	return Reach{Named: named}
}

// serviceAdmin may stand beside the basic roles in the grants of a plugin's role. The administrator of the host has it.
const serviceAdmin = "Service Admin"

// PluginRole is a role that a plugin defines.
type PluginRole struct {
	PluginID    string
	Name        string // as in plugin.json
	Description string
	Permissions []Grant
	GrantedTo   []string // basic roles and serviceAdmin
}

// FullName returns the name under which the role is registered.
func (r PluginRole) FullName() string { return "plugins:" + r.PluginID + ":" + r.Name }

// Check returns an error (ErrInvalid) if the role reaches beyond its plugin or is granted
// to an unknown role.
func (r PluginRole) Check() error {
	if err := checkName("roles.role.name", r.Name); err != nil {
		return err
	}
	for _, p := range r.Permissions {
		if isOwn(p.Action) {
			return Invalid("roles.role.permissions.action", "must be an action of the plugin, but %s of role %s is an action of the host", Quote(p.Action), Quote(r.Name))
		}
		if !isActionOf(p.Action, r.PluginID) {
			return Invalid("roles.role.permissions.action", "must start with the plugin id %s, found %s in role %s", r.PluginID, Quote(p.Action), Quote(r.Name))
		}
	}
	for _, to := range r.GrantedTo {
		if _, err := ParseRole(to); err != nil && to != serviceAdmin {
			return Invalid("roles.grant", "must be Viewer, Editor, Admin or %s, found %s", serviceAdmin, Quote(to))
		}
	}
	return nil
}

// isActionOf reports whether an action belongs to a plugin: "acme-app:read" and
// "acme-app.teams:read" belong to acme-app, but "acme-app2:read" does not.
func isActionOf(action, pluginID string) bool {
	rest, ok := strings.CutPrefix(action, pluginID)
	return ok && rest != "" && (rest[0] == ':' || rest[0] == '.')
}

// IsHeldBy reports whether the role is granted to that of an identity or to a weaker one.
func (r PluginRole) IsHeldBy(who Identity) bool {
	for _, to := range r.GrantedTo {
		if to == serviceAdmin {
			if who.IsServiceAdmin {
				return true
			}
			continue
		}
		if role, err := ParseRole(to); err == nil && who.Role >= role {
			return true
		}
	}
	return false
}

// Requirement is what a plugin requires of the users of a route or page. All fields that
// are set must be met; the zero value requires nothing.
type Requirement struct {
	PluginID   string // no basic role includes actions that start with this id
	IsSignedIn bool
	Role       string // as in plugin.json; nobody has an unknown role
	Action     string
	Scope      string // of Action, such as "datasources:uid:x"; required with it
}

// Check returns an error if the identity is unknown (ErrUnauthorized) or does not meet the
// requirement (ErrForbidden).
func (r Requirement) Check(who Identity) error {
	if who.Kind == "" && (r.IsSignedIn || r.Role != "" || r.Action != "") {
		return Unauthorized("Unauthorized")
	}
	if r.Role != "" {
		weakest, err := ParseRole(r.Role)
		if err != nil {
			return Forbidden("Permission denied: plugin.json requires the role %s, which is not Viewer, Editor or Admin", Quote(r.Role))
		}
		if who.Role < weakest {
			return Forbidden("Permission denied: requires the role %s", weakest)
		}
	}
	if r.Action != "" && !r.isHeld(who) {
		return Forbidden("Permission denied: requires %s on %s", Quote(r.Action), Quote(r.Scope))
	}
	return nil
}

// isHeld reports whether who may perform the action on the scope. Without a scope nobody
// may: an empty scope would match an identity that holds the action on anything.
func (r Requirement) isHeld(who Identity) bool {
	switch {
	case r.Scope == "":
		return false
	case r.PluginID != "" && strings.HasPrefix(r.Action, r.PluginID):
		return who.isGranted(r.Action, r.Scope)
	}
	return who.Allows(r.Action, r.Scope)
}
