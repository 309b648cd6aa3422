package host

import "strings"

// Requirement is what a plugin asks of those who use one of its routes or pages.
// All that is given must be met; the zero value asks for nothing.
type Requirement struct {
	PluginID   string // who asks: no basic role gives the actions that begin with it
	IsSignedIn bool
	Role       string // as plugin.json has it; a text that is no role is met by nobody
	Action     string
	Scope      string // what Action is asked on, such as "datasources:uid:x"; required with it
}

// Check refuses whoever nobody knows (ErrUnauthorized) or lacks what is asked for
// (ErrForbidden).
func (r Requirement) Check(who Identity) error {
	if who.Kind == "" && (r.IsSignedIn || r.Role != "" || r.Action != "") {
		return Unauthorized("Unauthorized")
	}
	if r.Role != "" {
		weakest, err := ParseRole(r.Role)
		if err != nil {
			return Forbidden("Permission denied: plugin.json asks for the role %s, which is not Viewer, Editor or Admin", quote(r.Role))
		}
		if who.Role < weakest {
			return Forbidden("Permission denied: needs the role %s", weakest)
		}
	}
	if r.Action != "" && !r.isHeld(who) {
		return Forbidden("Permission denied: needs %s on %s", quote(r.Action), quote(r.Scope))
	}
	return nil
}

// isHeld asks for the action on the scope. Without a scope it would be enough to
// hold the action on anything, so nobody does.
func (r Requirement) isHeld(who Identity) bool {
	switch {
	case r.Scope == "":
		return false
	case r.PluginID != "" && strings.HasPrefix(r.Action, r.PluginID):
		return who.isGranted(r.Action, r.Scope)
	}
	return who.Allows(r.Action, r.Scope)
}
