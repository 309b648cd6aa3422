package host

import (
	"slices"
	"strings"
)

// Role is a basic role. Each role may do all that the ones before it may; the zero
// value may do nothing on its own.
type Role uint8

// The basic roles, weakest first.
const (
	RoleNone Role = iota
	RoleViewer
	RoleEditor
	RoleAdmin
)

// String returns the name used on the wire.
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

// ParseRole reads one of the roles that can be given to somebody: Viewer, Editor
// or Admin.
func ParseRole(text string) (Role, error) {
	for _, r := range []Role{RoleViewer, RoleEditor, RoleAdmin} {
		if r.String() == text {
			return r, nil
		}
	}
	if text == "" {
		return RoleNone, Invalid("role", "is required: Viewer, Editor or Admin")
	}
	return RoleNone, Invalid("role", "%s is not Viewer, Editor or Admin", quote(text))
}

// Actions that routes ask for.
const (
	ActionPlaylistsRead         = "playlists:read"
	ActionPlaylistsWrite        = "playlists:write"
	ActionFoldersRead           = "folders:read"
	ActionFoldersCreate         = "folders:create"
	ActionFoldersWrite          = "folders:write"
	ActionFoldersDelete         = "folders:delete"
	ActionDashboardsRead        = "dashboards:read"
	ActionDashboardsWrite       = "dashboards:write"
	ActionDashboardsDelete      = "dashboards:delete"
	ActionDatasourcesRead       = "datasources:read"
	ActionDatasourcesCreate     = "datasources:create"
	ActionDatasourcesWrite      = "datasources:write"
	ActionDatasourcesDelete     = "datasources:delete"
	ActionDatasourcesQuery      = "datasources:query"
	ActionPluginsAccess         = "plugins.app:access"
	ActionPluginsWrite          = "plugins:write"
	ActionOrgRead               = "orgs:read"
	ActionAPIKeysRead           = "apikeys:read"
	ActionAPIKeysCreate         = "apikeys:create"
	ActionAPIKeysDelete         = "apikeys:delete"
	ActionServiceAccountsRead   = "serviceaccounts:read"
	ActionServiceAccountsWrite  = "serviceaccounts:write"
	ActionServiceAccountsCreate = "serviceaccounts:create"
	ActionServiceAccountsDelete = "serviceaccounts:delete"
)

// Actions returns every action that basic roles have.
func Actions() []string {
	return []string{
		ActionPlaylistsRead, ActionPlaylistsWrite,
		ActionFoldersRead, ActionFoldersCreate, ActionFoldersWrite, ActionFoldersDelete,
		ActionDashboardsRead, ActionDashboardsWrite, ActionDashboardsDelete,
		ActionDatasourcesRead, ActionDatasourcesCreate, ActionDatasourcesWrite, ActionDatasourcesDelete, ActionDatasourcesQuery,
		ActionPluginsAccess, ActionPluginsWrite, ActionOrgRead,
		ActionAPIKeysRead, ActionAPIKeysCreate, ActionAPIKeysDelete,
		ActionServiceAccountsRead, ActionServiceAccountsWrite, ActionServiceAccountsCreate, ActionServiceAccountsDelete,
	}
}

// WeakestRole returns the weakest basic role that may do the action. An action
// that no basic role has (a plugin's own) gives false.
func WeakestRole(action string) (Role, bool) {
	switch action {
	case ActionPlaylistsRead, ActionFoldersRead, ActionDashboardsRead,
		ActionDatasourcesQuery, ActionPluginsAccess, ActionOrgRead:
		return RoleViewer, true
	case ActionPlaylistsWrite, ActionDashboardsWrite, ActionDashboardsDelete, ActionAPIKeysCreate,
		ActionFoldersCreate, ActionFoldersWrite, ActionFoldersDelete:
		return RoleEditor, true
	case ActionDatasourcesRead, ActionDatasourcesCreate, ActionDatasourcesWrite, ActionDatasourcesDelete,
		ActionPluginsWrite, ActionAPIKeysRead, ActionAPIKeysDelete,
		ActionServiceAccountsRead, ActionServiceAccountsWrite,
		ActionServiceAccountsCreate, ActionServiceAccountsDelete:
		return RoleAdmin, true
	}
	return RoleNone, false
}

// isOwn says whether an action is on a resource of the host, such as playlists,
// whatever it does with it.
func isOwn(action string) bool {
	resource, _, _ := strings.Cut(action, ":")
	return slices.ContainsFunc(Actions(), func(known string) bool {
		of, _, _ := strings.Cut(known, ":")
		return of == resource
	})
}

// Grant is one permission beyond a basic role.
type Grant struct {
	Action string
	Scope  string // "" and "*" are everything, "playlists:*" is every playlist
}

// covers reports whether the grant reaches scope; an empty scope asks whether the
// action is held on anything at all.
func (g Grant) covers(scope string) bool {
	if scope == "" || g.Scope == "" || g.Scope == scope {
		return true
	}
	prefix, isWild := strings.CutSuffix(g.Scope, "*")
	return isWild && (prefix == "" || strings.HasSuffix(prefix, ":")) && strings.HasPrefix(scope, prefix)
}

// CheckGrants refuses (ErrInvalid) permissions that cannot be granted.
func CheckGrants(grants []Grant) error {
	for _, g := range grants {
		if err := checkName("iam.permissions.action", g.Action); err != nil {
			return err
		}
		if strings.ContainsAny(g.Action, " *") || !strings.Contains(g.Action, ":") {
			return Invalid("iam.permissions.action", "%s is not of the form resource:verb", quote(g.Action))
		}
		if err := checkText("iam.permissions.scope", g.Scope); err != nil {
			return err
		}
	}
	return nil
}
