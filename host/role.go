package host

import (
	"slices"
	"strings"

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
			ActionPlaylistsWrite, ActionDashboardsWrite, ActionDashboardsDelete, ActionAPIKeysCreate,
			ActionFoldersCreate, ActionFoldersWrite, ActionFoldersDelete,
		}
	case RoleAdmin:
		return []string{
			ActionDatasourcesRead, ActionDatasourcesCreate, ActionDatasourcesWrite, ActionDatasourcesDelete,
			ActionPluginsWrite, ActionAPIKeysRead, ActionAPIKeysDelete,
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
	resource, _, _ := strings.Cut(action, ":")
	return slices.ContainsFunc(RoleAdmin.Actions(), func(known string) bool {
		return strings.HasPrefix(known, resource+":")
	})
}

// Grant is a permission in addition to a basic role.
type Grant struct {
	Action string
	Scope  string // "" and "*" cover everything, and "playlists:*" covers all playlists
}

// covers reports whether the grant covers a scope. Every grant covers an empty scope.
func (g Grant) covers(scope string) bool {
	if scope == "" || g.Scope == "" || g.Scope == scope {
		return true
	}
	prefix, isWild := strings.CutSuffix(g.Scope, "*")
	return isWild && (prefix == "" || strings.HasSuffix(prefix, ":")) && strings.HasPrefix(scope, prefix)
}

// CheckGrants returns an error (ErrInvalid) if permissions cannot be granted.
func CheckGrants(grants []Grant) error {
	for _, g := range grants {
		if err := checkName("iam.permissions.action", g.Action); err != nil {
			return err
		}
		if strings.ContainsAny(g.Action, " *") || !strings.Contains(g.Action, ":") {
			return Invalid("iam.permissions.action", "must have the form resource:verb, found %s", quote(g.Action))
		}
		if err := checkText("iam.permissions.scope", g.Scope); err != nil {
			return err
		}
	}
	return nil
}
