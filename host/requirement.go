package host

import "strings"

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
			return Forbidden("Permission denied: plugin.json requires the role %s, which is not Viewer, Editor or Admin", quote(r.Role))
		}
		if who.Role < weakest {
			return Forbidden("Permission denied: requires the role %s", weakest)
		}
	}
	if r.Action != "" && !r.isHeld(who) {
		return Forbidden("Permission denied: requires %s on %s", quote(r.Action), quote(r.Scope))
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
