// Package access lists the actions, scopes and feature toggles of the host, by which plugin.json
// asks for permissions.
//
// It defines only their names, and which scopes one covers. Package host decides who may perform an action, package
// loader what a toggle enables, and validate what plugin.json may ask for.
package access

import "strings"

// The actions of the host.
const (
	PlaylistsRead         = "playlists:read"
	PlaylistsWrite        = "playlists:write"
	FoldersRead           = "folders:read"
	FoldersCreate         = "folders:create"
	FoldersWrite          = "folders:write"
	FoldersDelete         = "folders:delete"
	DashboardsRead        = "dashboards:read"
	DashboardsCreate      = "dashboards:create"
	DashboardsWrite       = "dashboards:write"
	DashboardsDelete      = "dashboards:delete"
	DatasourcesRead       = "datasources:read"
	DatasourcesCreate     = "datasources:create"
	DatasourcesWrite      = "datasources:write"
	DatasourcesDelete     = "datasources:delete"
	DatasourcesQuery      = "datasources:query"
	PluginsAccess         = "plugins.app:access"
	PluginsWrite          = "plugins:write"
	OrgRead               = "orgs:read"
	OrgUsersRead          = "org.users:read"
	APIKeysRead           = "apikeys:read"
	APIKeysCreate         = "apikeys:create"
	APIKeysDelete         = "apikeys:delete"
	ServiceAccountsRead   = "serviceaccounts:read"
	ServiceAccountsWrite  = "serviceaccounts:write"
	ServiceAccountsCreate = "serviceaccounts:create"
	ServiceAccountsDelete = "serviceaccounts:delete"
)

// Actions returns all actions of the host.
func Actions() []string {
	return []string{
		PlaylistsRead, PlaylistsWrite,
		FoldersRead, FoldersCreate, FoldersWrite, FoldersDelete,
		DashboardsRead, DashboardsCreate, DashboardsWrite, DashboardsDelete,
		DatasourcesRead, DatasourcesCreate, DatasourcesWrite, DatasourcesDelete, DatasourcesQuery,
		PluginsAccess, PluginsWrite, OrgRead, OrgUsersRead,
		APIKeysRead, APIKeysCreate, APIKeysDelete,
		ServiceAccountsRead, ServiceAccountsWrite, ServiceAccountsCreate, ServiceAccountsDelete,
	}
}

// Resource returns what an action is performed on: "playlists" for playlists:read.
func Resource(action string) string {
	resource, _, _ := strings.Cut(action, ":")
	return resource
}

// Prefixes of scopes of one object.
const (
	FolderScope     = "folders:uid:"
	DashboardScope  = "dashboards:uid:"
	DatasourceScope = "datasources:uid:"
)

// GeneralFolder is the uid under which scopes name the place of dashboards that are in no folder.
const GeneralFolder = "general"

// ScopesOf returns the prefixes of the scopes of an action of the host, such as
// "playlists:uid:", or nil if the host does not check a scope for it. A dashboard inherits
// the permissions of its folder, so actions on dashboards also have the scopes of folders.
func ScopesOf(action string) []string {
	switch resource := Resource(action); resource {
	case "playlists", "folders", "datasources":
		return []string{resource + ":uid:"}
	case "dashboards":
		return []string{DashboardScope, FolderScope}
	case "apikeys", "serviceaccounts":
		return []string{resource + ":id:"}
	case "plugins", "plugins.app":
		return []string{"plugins:id:"}
	}
	return nil
}

// Covers reports whether a permission on a granted scope covers another scope. "" and "*" cover
// everything, and "playlists:*" covers all playlists. Every permission covers the scope "".
func Covers(granted, scope string) bool {
	if scope == "" || granted == "" || granted == scope {
		return true
	}
	prefix, isWild := strings.CutSuffix(granted, "*")
	return isWild && (prefix == "" || strings.HasSuffix(prefix, ":")) && strings.HasPrefix(scope, prefix)
}

// The feature toggles of the host.
const (
	ToggleServiceAccounts = "externalServiceAccounts" // service accounts for plugins
	ToggleRoles           = "accessControlOnCall"     // roles of plugins
)

// Toggles returns all feature toggles of the host.
func Toggles() []string { return []string{ToggleServiceAccounts, ToggleRoles} }
