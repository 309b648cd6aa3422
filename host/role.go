package host

import (
	"slices"

	"github.com/slipway-dev/slipway/bundle/access"
)

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
	return RoleNone, Invalid("role", "must be Viewer, Editor or Admin, found %s", quote(text))
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
