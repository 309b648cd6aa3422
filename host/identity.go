package host

import (
	"slices"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
)

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

	// GrantsOf is the id of the plugin's service account that Grants come from, and end with, or 0.
	GrantsOf int64
	// Expires is when the credential of the request expires: what it creates may not last
	// longer. The zero time means never, or that the host renews the credential.
	Expires time.Time

	IsServiceAdmin bool // administers the host, not only the organization
}

// Email returns the address of a user, or "" for others. The host stores none: it is the
// address that existing hosts give their first user.
func (i Identity) Email() string {
	if i.Kind != KindUser {
		return ""
	}
	return i.Login + "@localhost"
}

// Allows reports whether the identity may perform an action on an object with any of the
// scopes: its own and those that it inherits from, such as the folder of a dashboard. A
// basic role covers all scopes of the organization, and a grant covers its own scope.
// Without a scope, or for "", Allows reports whether the identity may perform the action on
// anything. It is the only place that evaluates scopes.
func (i Identity) Allows(action string, scopes ...string) bool {
	return i.Role.has(action) || i.isGranted(action, scopes...)
}

// isGranted is Allows without the basic role.
func (i Identity) isGranted(action string, scopes ...string) bool {
	for _, g := range i.Grants {
		covers := func(scope string) bool { return access.Covers(g.Scope, scope) }
		if g.Action == action && (len(scopes) == 0 || slices.ContainsFunc(scopes, covers)) {
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

// Scopes that cover all API keys and all service accounts.
const (
	allKeys     = "apikeys:id:*"
	allAccounts = "serviceaccounts:id:*"
)

// KeyRole returns the highest role of API keys that the identity may create, migrate and
// delete. It is the identity's own role or, if the identity may create API keys or write
// service accounts, at least Editor.
func (i Identity) KeyRole() Role {
	if i.Allows(access.APIKeysCreate, allKeys) || i.Allows(access.ServiceAccountsWrite, allAccounts) {
		return max(i.Role, RoleEditor)
	}
	return i.Role
}

// MayManageKey returns an error (ErrForbidden) if the identity may not create, migrate or
// delete an API key with a role.
func (i Identity) MayManageKey(role Role) error {
	if highest := i.KeyRole(); role > highest {
		return Forbidden("Permission denied: role %s of the API key is above your role %s", role, highest)
	}
	return nil
}

// CheckLifetime returns an error (ErrForbidden) for the given field if a credential with
// the given lifetime would outlast the credential of the request.
func (i Identity) CheckLifetime(field string, life time.Duration, now time.Time) error {
	if i.Expires.IsZero() || !now.Add(life).After(i.Expires) {
		return nil
	}
	return &Error{Category: ErrForbidden, Field: field, Message: "must not end after the credential of the request, which expires at " +
		i.Expires.UTC().Format(time.RFC3339)}
}

// Until returns when a credential that the identity creates expires: after its lifetime,
// or never if that is 0, but not after the credential of the request.
func (i Identity) Until(now time.Time, life time.Duration) time.Time {
	if life == 0 {
		return i.Expires
	}
	end := now.Add(life)
	if !i.Expires.IsZero() && end.After(i.Expires) {
		return i.Expires
	}
	return end
}

// Bound replaces the role with those grants that the role allows. It is applied to API keys
// that a plugin created: they can do no more than their role and no more than the plugin.
func (i *Identity) Bound() {
	i.Grants = slices.DeleteFunc(slices.Clone(i.Grants), func(g Grant) bool { return !i.Role.has(g.Action) })
	i.Role = RoleNone
}

// Role is a basic role. Each role includes the weaker ones; the zero value has no
// permissions.
type Role uint8

// The basic roles, weakest first.
const (
	RoleNone Role = iota
	RoleViewer
	RoleEditor
	RoleAdmin
)

// String returns the name of the role in the API.
func (r Role) String() string {
	switch r {
	case RoleViewer:
		return "Viewer"
	case RoleEditor:
		return "Editor"
	case RoleAdmin:
		return "Admin"
	}
	return "None"
}

// ParseRole parses the name of a role that can be assigned: Viewer, Editor or Admin.
func ParseRole(text string) (Role, error) {
	for _, r := range []Role{RoleViewer, RoleEditor, RoleAdmin} {
		if r.String() == text {
			return r, nil
		}
	}
	if text == "" {
		return RoleNone, Invalid("role", "is required and must be Viewer, Editor or Admin")
	}
	return RoleNone, Invalid("role", "must be Viewer, Editor or Admin, found %s", Quote(text))
}

// addedBy returns the actions that a basic role has beyond those of the weaker roles.
func addedBy(r Role) []string {
	switch r {
	case RoleViewer:
		return []string{
			access.PlaylistsRead, access.FoldersRead, access.DashboardsRead,
			access.DatasourcesQuery, access.PluginsAccess, access.OrgRead,
		}
	case RoleEditor:
		return []string{
			access.PlaylistsWrite, access.DashboardsCreate, access.DashboardsWrite, access.DashboardsDelete, access.APIKeysCreate,
			access.FoldersCreate, access.FoldersWrite, access.FoldersDelete,
		}
	case RoleAdmin:
		return []string{
			access.DatasourcesRead, access.DatasourcesCreate, access.DatasourcesWrite, access.DatasourcesDelete,
			access.PluginsWrite, access.OrgUsersRead, access.APIKeysRead, access.APIKeysDelete,
			access.ServiceAccountsRead, access.ServiceAccountsWrite,
			access.ServiceAccountsCreate, access.ServiceAccountsDelete,
		}
	}
	return nil
}

// Actions returns all actions of the role.
func (r Role) Actions() (actions []string) {
	for weaker := range r + 1 {
		actions = append(actions, addedBy(weaker)...)
	}
	return actions
}

func (r Role) has(action string) bool {
	for weaker := range r + 1 {
		if slices.Contains(addedBy(weaker), action) {
			return true
		}
	}
	return false
}

// isOwn reports whether an action is on a resource of the host, such as playlists.
func isOwn(action string) bool {
	return slices.ContainsFunc(access.Actions(), func(known string) bool { return access.Resource(known) == access.Resource(action) })
}
