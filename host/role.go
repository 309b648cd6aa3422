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

// Actions that routes require.
const (
	ActionPlaylistsRead         = access.PlaylistsRead
	ActionPlaylistsWrite        = access.PlaylistsWrite
	ActionFoldersRead           = access.FoldersRead
	ActionFoldersCreate         = access.FoldersCreate
	ActionFoldersWrite          = access.FoldersWrite
	ActionFoldersDelete         = access.FoldersDelete
	ActionDashboardsRead        = access.DashboardsRead
	ActionDashboardsCreate      = access.DashboardsCreate
	ActionDashboardsWrite       = access.DashboardsWrite
	ActionDashboardsDelete      = access.DashboardsDelete
	ActionDatasourcesRead       = access.DatasourcesRead
	ActionDatasourcesCreate     = access.DatasourcesCreate
	ActionDatasourcesWrite      = access.DatasourcesWrite
	ActionDatasourcesDelete     = access.DatasourcesDelete
	ActionDatasourcesQuery      = access.DatasourcesQuery
	ActionPluginsAccess         = access.PluginsAccess
	ActionPluginsWrite          = access.PluginsWrite
	ActionOrgRead               = access.OrgRead
	ActionOrgUsersRead          = access.OrgUsersRead
	ActionAPIKeysRead           = access.APIKeysRead
	ActionAPIKeysCreate         = access.APIKeysCreate
	ActionAPIKeysDelete         = access.APIKeysDelete
	ActionServiceAccountsRead   = access.ServiceAccountsRead
	ActionServiceAccountsWrite  = access.ServiceAccountsWrite
	ActionServiceAccountsCreate = access.ServiceAccountsCreate
	ActionServiceAccountsDelete = access.ServiceAccountsDelete
)

// addedBy returns the actions that a basic role has beyond those of the weaker roles.
func addedBy(r Role) []string {
	switch r {
	case RoleViewer:
		return []string{
			ActionPlaylistsRead, ActionFoldersRead, ActionDashboardsRead,
			ActionDatasourcesQuery, ActionPluginsAccess, ActionOrgRead,
		}
	case RoleEditor:
		return []string{
			ActionPlaylistsWrite, ActionDashboardsCreate, ActionDashboardsWrite, ActionDashboardsDelete, ActionAPIKeysCreate,
			ActionFoldersCreate, ActionFoldersWrite, ActionFoldersDelete,
		}
	case RoleAdmin:
		return []string{
			ActionDatasourcesRead, ActionDatasourcesCreate, ActionDatasourcesWrite, ActionDatasourcesDelete,
			ActionPluginsWrite, ActionOrgUsersRead, ActionAPIKeysRead, ActionAPIKeysDelete,
			ActionServiceAccountsRead, ActionServiceAccountsWrite,
			ActionServiceAccountsCreate, ActionServiceAccountsDelete,
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
