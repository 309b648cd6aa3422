package host

// Kind is the kind of an identity.
type Kind string

// Kinds of identities.
const (
	KindUser           Kind = "user"
	KindServiceAccount Kind = "serviceaccount"
	KindAPIKey         Kind = "apikey"
)

// Identity is the caller of a request.
type Identity struct {
	Kind   Kind
	ID     int64 // of the user, account or key, within its kind
	OrgID  int64
	Login  string // the name if it is a key
	Role   Role
	Grants []Grant // in addition to the role; shared between requests, do not modify

	IsServiceAdmin bool // administers the host, not only the organization
}

// Allows reports whether the identity may perform an action on a scope. A basic role
// covers all scopes of the organization, and a grant covers its own scope. For an empty
// scope, Allows reports whether the identity may perform the action on anything.
func (i Identity) Allows(action, scope string) bool {
	return i.Role.has(action) || i.isGranted(action, scope)
}

// isGranted is Allows without the basic role.
func (i Identity) isGranted(action, scope string) bool {
	for _, g := range i.Grants {
		if g.Action == action && g.covers(scope) {
			return true
		}
	}
	return false
}

// MayGive returns an error (ErrForbidden) if a role is above that of the identity.
func (i Identity) MayGive(role Role) error {
	if role > i.Role {
		return Forbidden("Permission denied: role %s is above your role %s", role, i.Role)
	}
	return nil
}
