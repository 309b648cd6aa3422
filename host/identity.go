package host

// Kind says what sort of credential an identity came from.
type Kind string

// The kinds of identity.
const (
	KindUser           Kind = "user"
	KindServiceAccount Kind = "serviceaccount"
	KindAPIKey         Kind = "apikey"
)

// Identity is who is asking.
type Identity struct {
	Kind   Kind
	ID     int64 // of the user, account or key, within its kind
	OrgID  int64
	Login  string // of a key: its name
	Role   Role
	Grants []Grant // beyond the role; shared between requests, never written to

	IsServiceAdmin bool // administers the service, beyond the organisation
}

// Allows is the one decision on permissions: whether the identity may do action
// on scope. A basic role reaches every scope of its organisation, a grant reaches
// its own scope. An empty scope asks whether the action is held on anything.
func (i Identity) Allows(action, scope string) bool {
	if weakest, ok := WeakestRole(action); ok && i.Role >= weakest {
		return true
	}
	return i.isGranted(action, scope)
}

// isGranted leaves the basic role aside.
func (i Identity) isGranted(action, scope string) bool {
	for _, g := range i.Grants {
		if g.Action == action && g.covers(scope) {
			return true
		}
	}
	return false
}

// MayGive refuses (ErrForbidden) to hand out a role above one's own.
func (i Identity) MayGive(role Role) error {
	if role > i.Role {
		return Forbidden("Permission denied: the role %s is above your own (%s)", role, i.Role)
	}
	return nil
}
