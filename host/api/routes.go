package api

import (
	"net/http"

	"github.com/slipway-dev/slipway/bundle/access"
)

// Routes returns the whole route table.
func (a *API) Routes() []Route {
	return []Route{
		{"GET", "/api/health", public(), call(a.health), doc{Summary: "Report whether the host can use its database", Also: http.StatusServiceUnavailable}},
		{"GET", "/metrics", public(), raw(a.serveMetrics), doc{Summary: "Get the metrics of the host in the Prometheus text format", Media: "text/plain"}},
		{"GET", "/api/openapi.json", public(), call(a.serveOpenAPI), doc{Summary: "Get the OpenAPI description of this API"}},
		{"GET", "/avatar/{hash}", public(), raw(a.avatar), doc{Summary: "Get the avatar of a user or service account", Media: "image/svg+xml"}},

		{"GET", "/api/user", signedIn(), call(a.whoAmI), doc{Summary: "Get the identity of the caller"}},
		{"GET", "/api/users", action(access.OrgUsersRead), call(a.users), doc{Summary: "List users"}},
		{"GET", "/api/users/{id}/teams", action(access.OrgUsersRead), call(a.teamsOfUser), doc{Summary: "List the teams of a user; the list is always empty, since this host has no teams"}},
		{"GET", "/api/org", action(access.OrgRead), call(a.org), doc{Summary: "Get the organization"}},
		{"GET", "/api/org/users", action(access.OrgUsersRead), call(a.orgUsers), doc{Summary: "List the users of the organization"}},
		{"GET", "/api/teams/search", signedIn(), call(a.teams), doc{Summary: "List teams; the list is always empty, since this host has no teams"}},

		{"POST", "/api/session", public(), raw(a.signIn), doc{Summary: "Sign a browser in with a password or a sign-in code; the response sets a cookie"}},
		{"DELETE", "/api/session", signedIn(), raw(a.signOut), doc{Summary: "End the session of this browser"}},
		{"GET", "/api/sessions", signedIn(), call(a.sessions), doc{Summary: "List the sessions of the caller"}},
		{"DELETE", "/api/sessions/{id}", signedIn(), call(a.endSession), doc{Summary: "End a session of the caller"}},

		{"GET", "/api/playlists", action(access.PlaylistsRead).on("playlists:uid:*"), call(a.playlists), doc{Summary: "List playlists; the parameter query selects those whose name contains it"}},
		{"POST", "/api/playlists", action(access.PlaylistsWrite).on("playlists:uid:*"), call(a.createPlaylist), doc{Summary: "Create a playlist"}},
		{"GET", "/api/playlists/{uid}", action(access.PlaylistsRead).on("playlists:uid:{uid}"), call(a.playlist), doc{Summary: "Get a playlist with its items"}},
		{"PUT", "/api/playlists/{uid}", action(access.PlaylistsWrite).on("playlists:uid:{uid}"), call(a.updatePlaylist), doc{Summary: "Replace a playlist and its items"}},
		{"DELETE", "/api/playlists/{uid}", action(access.PlaylistsWrite).on("playlists:uid:{uid}"), call(a.deletePlaylist), doc{Summary: "Delete a playlist"}},
		{"GET", "/api/playlists/{uid}/items", action(access.PlaylistsRead).on("playlists:uid:{uid}"), call(a.playlistItems), doc{Summary: "List the items of a playlist"}},
		{"GET", "/api/v1/provisioning/playlists/export", action(access.PlaylistsRead).on("playlists:uid:*"), raw(a.exportPlaylists), doc{Summary: "Get all playlists as a file for provisioning"}},
		{"GET", "/api/playlists/{uid}/dashboards", action(access.PlaylistsRead).on("playlists:uid:{uid}"), call(a.playlistDashboards), doc{Summary: "List the dashboards that the items of a playlist refer to"}},

		{"GET", "/api/folders", action(access.FoldersRead), call(a.folders), doc{Summary: "List the folders that the caller may read"}},
		{"POST", "/api/folders", action(access.FoldersCreate, access.FoldersWrite).on("folders:uid:*"), call(a.createFolder), doc{Summary: "Create a folder"}},
		{"GET", "/api/folders/{uid}", action(access.FoldersRead).on("folders:uid:{uid}"), call(a.folder), doc{Summary: "Get a folder"}},
		{"PUT", "/api/folders/{uid}", action(access.FoldersWrite).on("folders:uid:{uid}"), call(a.renameFolder), doc{Summary: "Rename a folder; a version that is not the stored one is refused"}},
		{"DELETE", "/api/folders/{uid}", action(access.FoldersDelete, access.FoldersWrite).on("folders:uid:{uid}"), call(a.deleteFolder), doc{Summary: "Delete a folder and its dashboards"}},

		{"GET", "/api/search", action(access.DashboardsRead), call(a.search), doc{Summary: "Search the dashboards that the caller may read, by title, tags and folder, or with type=dash-folder the folders"}},
		// The scopes are the uid and the folder in the body, and the stored folder.
		{"POST", "/api/dashboards/db", action(access.DashboardsWrite, access.DashboardsCreate), call(a.saveDashboard), doc{Summary: "Create or replace a dashboard"}},
		{"GET", "/api/dashboards/uid/{uid}", action(access.DashboardsRead).on("dashboards:uid:{uid}").within(a.dashboardParents), call(a.dashboard), doc{Summary: "Get a dashboard"}},
		{"DELETE", "/api/dashboards/uid/{uid}", action(access.DashboardsDelete, access.DashboardsWrite).on("dashboards:uid:{uid}").within(a.dashboardParents), call(a.deleteDashboard), doc{Summary: "Delete a dashboard"}},

		// Writing service accounts implies all actions on API keys.
		{"GET", "/api/auth/keys", action(access.APIKeysRead, access.ServiceAccountsWrite).on("apikeys:id:*"), call(a.keys), doc{Summary: "List API keys, up to limit (1000 by default)", IsDeprecated: true}},
		{"POST", "/api/auth/keys", action(access.APIKeysCreate, access.ServiceAccountsWrite), call(a.createKey), doc{Summary: "Create an API key", IsDeprecated: true}},
		{"DELETE", "/api/auth/keys/{id}", action(access.APIKeysDelete, access.ServiceAccountsWrite).on("apikeys:id:{id}"), call(a.deleteKey), doc{Summary: "Delete an API key", IsDeprecated: true}},
		// The store compares the role of each key with host.Identity.KeyRole. A permission has
		// one scope, which cannot cover both keys and service accounts.
		{"POST", "/api/serviceaccounts/migrate", action(access.APIKeysCreate, access.ServiceAccountsWrite), call(a.migrateKeys), doc{Summary: "Migrate all API keys to service accounts"}},
		{"POST", migratePath, action(access.APIKeysCreate, access.ServiceAccountsWrite), call(a.migrateKey), doc{Summary: "Migrate an API key to a service account"}},

		{"POST", "/api/serviceaccounts", action(access.ServiceAccountsCreate, access.ServiceAccountsWrite).on("serviceaccounts:id:*"), call(a.createAccount), doc{Summary: "Create a service account", Status: http.StatusCreated}},
		{"GET", "/api/serviceaccounts/search", action(access.ServiceAccountsRead).on("serviceaccounts:id:*"), call(a.searchAccounts), doc{Summary: "Search service accounts"}},
		{"GET", "/api/serviceaccounts/{id}", action(access.ServiceAccountsRead).on("serviceaccounts:id:{id}"), call(a.account), doc{Summary: "Get a service account"}},
		{"PATCH", "/api/serviceaccounts/{id}", action(access.ServiceAccountsWrite).on("serviceaccounts:id:{id}"), call(a.updateAccount), doc{Summary: "Update a service account; that of a plugin can only be disabled or enabled, and only by an administrator"}},
		{"DELETE", "/api/serviceaccounts/{id}", action(access.ServiceAccountsDelete, access.ServiceAccountsWrite).on("serviceaccounts:id:{id}"), call(a.deleteAccount), doc{Summary: "Delete a service account and its tokens; a plugin gets a new one when it starts again"}},
		{"GET", "/api/serviceaccounts/{id}/tokens", action(access.ServiceAccountsRead).on("serviceaccounts:id:{id}"), call(a.accountTokens), doc{Summary: "List the tokens of a service account, at most perpage of them, or 5000 by default"}},
		{"POST", "/api/serviceaccounts/{id}/tokens", action(access.ServiceAccountsWrite).on("serviceaccounts:id:{id}"), call(a.createToken), doc{Summary: "Create a token; its secret is returned only once"}},
		{"DELETE", "/api/serviceaccounts/{id}/tokens/{tokenId}", action(access.ServiceAccountsWrite).on("serviceaccounts:id:{id}"), call(a.deleteToken), doc{Summary: "Delete a token; a plugin gets a new one when it starts again"}},

		{"GET", "/api/access-control/roles", action(access.PluginsWrite), call(a.roles), doc{Summary: "List the roles that plugins define"}},
		{"GET", "/api/access-control/user/permissions", signedIn(), call(a.permissions), doc{Summary: "List the actions that the caller may perform, with their scopes"}},

		{"GET", "/api/plugins", signedIn(), call(a.plugins), doc{Summary: "List the mounted plugins"}},
		{"GET", "/api/plugins/errors", action(access.PluginsWrite), call(a.pluginErrors), doc{Summary: "List the plugins that are not mounted, are not running or have unmet requirements, with the reasons"}},
		{"GET", "/api/plugins/changes", action(access.PluginsWrite), call(a.lastChanges), doc{Summary: "List the outcome of the last change to each plugin"}},
		{"GET", "/api/plugins/{id}/settings", action(access.PluginsAccess).on("plugins:id:{id}"), ofPlugin(a, a.pluginSettings), doc{Summary: "Get the settings of an app"}},
		{"POST", "/api/plugins/{id}/settings", action(access.PluginsWrite).on("plugins:id:{id}"), ofPlugin(a, a.setPluginSettings), doc{Summary: "Replace the settings of an app"}},
		{"GET", "/api/plugins/{id}/health", action(access.PluginsAccess).on("plugins:id:{id}"), ofPlugin(a, a.pluginHealth), doc{Summary: "Check the health of a backend", Also: http.StatusServiceUnavailable}},
		{"GET", "/api/plugins/{id}/metrics", action(access.PluginsWrite).on("plugins:id:{id}"), a.rawOfPlugin(a.pluginMetrics), doc{Summary: "Get the metrics of a backend in the Prometheus text format; the text is empty if it has none", Media: "text/plain"}},
		{"GET", "/api/plugins/{id}/changes", action(access.PluginsWrite).on("plugins:id:{id}"), ofPlugin(a, a.pluginChanges), doc{Summary: "List the latest outcomes of changes to a plugin"}},
		{"", "/api/plugins/{id}/resources/{path...}", action(access.PluginsAccess).on("plugins:id:{id}"), a.rawOfPlugin(a.pluginResource), doc{Summary: "Call a resource of a plugin"}},
		{"POST", "/api/ds/query", action(access.DatasourcesQuery), call(a.queryData), doc{Summary: "Query data sources", Also: http.StatusMultiStatus}},
		{"POST", "/api/plugins/{id}/restart", action(access.PluginsWrite).on("plugins:id:{id}"), ofPlugin(a, a.restartPlugin), doc{Summary: "Replace the process of a backend without dropping a call", Also: http.StatusServiceUnavailable}},
		{"POST", "/api/plugins/{id}/reload", action(access.PluginsWrite).on("plugins:id:{id}"), ofPlugin(a, a.reloadPlugin), doc{Summary: "Apply changes in the directory of a plugin", Also: http.StatusServiceUnavailable}},
		{"GET", "/api/plugins/events", signedIn(), raw(a.pluginEvents), doc{Summary: "Stream changes to plugins as server-sent events: plugin-ready, plugin-failed and plugin-state", Media: "text/event-stream"}},
		{"GET", "/api/plugins/{id}/logs", action(access.PluginsWrite).on("plugins:id:{id}"), ofPlugin(a, a.pluginLogs), doc{Summary: "Get the last records of the log of a plugin, at most 1,000 and 256 KiB"}},

		// Public because browsers load frontends without credentials.
		{"GET", "/public/plugins/{id}/{path...}", public(), a.rawOfPlugin(a.asset), doc{Summary: "Get a file of a plugin's frontend", Media: "application/octet-stream"}},

		{"GET", "/api/datasources", action(access.DatasourcesRead), call(a.dataSources), doc{Summary: "List the data sources that the caller may read"}},
		{"POST", "/api/datasources", action(access.DatasourcesCreate, access.DatasourcesWrite).on("datasources:uid:*"), call(a.createDataSource), doc{Summary: "Create a data source"}},
		{"GET", "/api/datasources/uid/{uid}", action(access.DatasourcesRead).on("datasources:uid:{uid}"), call(a.dataSource), doc{Summary: "Get a data source"}},
		{"PUT", "/api/datasources/uid/{uid}", action(access.DatasourcesWrite).on("datasources:uid:{uid}"), call(a.updateDataSource), doc{Summary: "Replace a data source; secrets that are absent are kept"}},
		{"DELETE", "/api/datasources/uid/{uid}", action(access.DatasourcesDelete, access.DatasourcesWrite).on("datasources:uid:{uid}"), call(a.deleteDataSource), doc{Summary: "Delete a data source"}},
		{"GET", "/api/datasources/uid/{uid}/health", action(access.DatasourcesQuery).on("datasources:uid:{uid}"), call(a.dataSourceHealth), doc{Summary: "Check the health of a data source", Also: http.StatusBadRequest}},
		{"", "/api/datasources/uid/{uid}/resources/{path...}", action(access.DatasourcesQuery).on("datasources:uid:{uid}"), raw(a.dataSourceResource), doc{Summary: "Call a resource of a data source"}},

		// By numeric id and by name, as older clients and frontends do.
		a.by(a.dataSourceByID, "GET", "/api/datasources/{id}", call(a.dataSource), "Get a data source by its numeric id", access.DatasourcesRead),
		a.by(a.dataSourceByID, "PUT", "/api/datasources/{id}", call(a.updateDataSource), "Replace a data source by its numeric id", access.DatasourcesWrite),
		a.by(a.dataSourceByID, "DELETE", "/api/datasources/{id}", call(a.deleteDataSource), "Delete a data source by its numeric id", access.DatasourcesDelete, access.DatasourcesWrite),
		a.by(a.dataSourceByID, "", "/api/datasources/{id}/resources/{path...}", raw(a.dataSourceResource), "Call a resource of a data source by its numeric id", access.DatasourcesQuery),
		a.by(a.dataSourceByID, "", "/api/datasources/proxy/{id}/{path...}", raw(a.proxyDataSource), "Forward a request through a route of a data source by its numeric id", access.DatasourcesQuery),
		a.by(a.dataSourceByName, "GET", "/api/datasources/name/{name}", call(a.dataSource), "Get a data source by its name", access.DatasourcesRead),
		a.by(a.dataSourceByName, "DELETE", "/api/datasources/name/{name}", call(a.deleteDataSource), "Delete a data source by its name", access.DatasourcesDelete, access.DatasourcesWrite),

		{"GET", "/api/plugins/{id}/dashboards", action(access.PluginsAccess).on("plugins:id:{id}"), ofPlugin(a, a.pluginDashboards), doc{Summary: "List the dashboards that a plugin offers, and which of them are imported"}},
		// The scopes are the plugin, the folder and the dashboard in the body.
		{"POST", "/api/dashboards/import", action(access.DashboardsWrite, access.DashboardsCreate), call(a.importDashboard), doc{Summary: "Import a dashboard of a plugin, or the one in the body"}},

		{"GET", "/api/frontend/settings", signedIn(), call(a.frontendSettings), doc{Summary: "Get what the frontends of plugins need: the data sources that the caller may query, panels, apps and toggles"}},

		// Each channel asks for the permission to use its plugin.
		{"GET", "/api/live/events", action(access.DatasourcesQuery, access.PluginsAccess), a.liveEvents(), doc{Summary: "Follow a channel, such as ds/{uid}/{path}, as server-sent events; the parameter data takes JSON for the plugin", Media: "text/event-stream"}},
		{"POST", "/api/live/publish", action(access.DatasourcesQuery, access.PluginsAccess), call(a.publish), doc{Summary: "Send a message to the plugin of a channel, which may pass it on to those that follow the channel"}},

		{"", "/api/datasources/proxy/uid/{uid}/{path...}", action(access.DatasourcesQuery).on("datasources:uid:{uid}"), raw(a.proxyDataSource), doc{Summary: "Forward a request through a route of a data source or, if its plugin declares none, to its URL"}},
		{"", "/api/plugin-proxy/{id}/{path...}", action(access.PluginsAccess).on("plugins:id:{id}"), a.rawOfPlugin(a.proxyApp), doc{Summary: "Forward a request through a route of an app"}},
	}
}
