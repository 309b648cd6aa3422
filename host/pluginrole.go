package host

import "strings"

// ServiceAdmin is allowed in the grants of a plugin's role, in addition to the basic
// roles. The administrator of the host holds it.
const ServiceAdmin = "Service Admin"

// PluginRole is a role that a plugin defines.
type PluginRole struct {
	PluginID    string
	Name        string // as in plugin.json
	Description string
	Permissions []Grant
	GrantedTo   []string // basic roles and ServiceAdmin
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
			return Invalid("roles.role.permissions.action", "must be an action of the plugin, but %s of role %s is an action of the host", quote(p.Action), quote(r.Name))
		}
		if !isActionOf(p.Action, r.PluginID) {
			return Invalid("roles.role.permissions.action", "must start with the plugin id %s, found %s in role %s", r.PluginID, quote(p.Action), quote(r.Name))
		}
	}
	for _, to := range r.GrantedTo {
		if _, err := ParseRole(to); err != nil && to != ServiceAdmin {
			return Invalid("roles.grant", "must be Viewer, Editor, Admin or %s, found %s", ServiceAdmin, quote(to))
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

// IsHeldBy reports whether the role is granted to the basic role of an identity or to a
// weaker one.
func (r PluginRole) IsHeldBy(who Identity) bool {
	for _, to := range r.GrantedTo {
		if to == ServiceAdmin {
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
