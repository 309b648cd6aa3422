package host

import "strings"

// ServiceAdmin is the grant of a plugin's role that goes beyond the basic roles: to
// the user who administers the service.
const ServiceAdmin = "Service Admin"

// PluginRole is a role that a plugin brings.
type PluginRole struct {
	PluginID    string
	Name        string // as plugin.json has it
	Description string
	Permissions []Grant
	GrantedTo   []string // basic roles and ServiceAdmin
}

// FullName is the name under which the role is registered.
func (r PluginRole) FullName() string { return "plugins:" + r.PluginID + ":" + r.Name }

// Check refuses (ErrInvalid) a role that reaches beyond its plugin, or is granted to
// what is no role.
func (r PluginRole) Check() error {
	if err := checkName("roles.role.name", r.Name); err != nil {
		return err
	}
	for _, p := range r.Permissions {
		if isOwn(p.Action) {
			return Invalid("roles.role.permissions.action", "%s of the role %s is an action of the host, which no plugin gives away", quote(p.Action), quote(r.Name))
		}
		if !isActionOf(p.Action, r.PluginID) {
			return Invalid("roles.role.permissions.action", "%s of the role %s does not begin with the id of its plugin, %s", quote(p.Action), quote(r.Name), r.PluginID)
		}
	}
	for _, to := range r.GrantedTo {
		if _, err := ParseRole(to); err != nil && to != ServiceAdmin {
			return Invalid("roles.grant", "%s is not Viewer, Editor, Admin or %s", quote(to), ServiceAdmin)
		}
	}
	return nil
}

// isActionOf says whether an action is a plugin's own: "acme-app:read" and
// "acme-app.teams:read" are of acme-app, "acme-app2:read" is not.
func isActionOf(action, pluginID string) bool {
	rest, ok := strings.CutPrefix(action, pluginID)
	return ok && rest != "" && (rest[0] == ':' || rest[0] == '.')
}

// IsHeldBy says whether the role was granted to the basic role of an identity, or to
// a weaker one.
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
