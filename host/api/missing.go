package api

import (
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// Missing is a family of paths that existing hosts serve and this one does not.
type Missing struct {
	Path string // what it begins with; "*" stands for one segment
	What string // what this host does not have
}

// MissingPaths returns the families of paths that existing hosts serve and this one does
// not. Their responses say so, instead of only that the path does not exist.
func MissingPaths() []Missing {
	return []Missing{
		{"/api/access-control/assignments", "assignments of roles"},
		{"/api/access-control/builtin-roles", "assignments of roles"},
		{"/api/access-control/datasources", "permissions per data source"},
		{"/api/access-control/folders", "permissions per folder"},
		{"/api/access-control/dashboards", "permissions per dashboard"},
		{"/api/access-control/serviceaccounts", "permissions per service account"},
		{"/api/access-control/teams", "teams"},
		{"/api/admin", "server administration over HTTP"},
		{"/api/alert-notifications", "alerting"},
		{"/api/alertmanager", "alerting"},
		{"/api/alerts", "alerting"},
		{"/api/annotations", "annotations"},
		{"/api/correlations", "correlations"},
		{"/api/dashboard/snapshots", "snapshots"},
		{"/api/dashboards/calculate-diff", "versions of dashboards"},
		{"/api/dashboards/home", "home dashboard"},
		{"/api/dashboards/id", "versions and permissions of dashboards"},
		{"/api/dashboards/public-dashboards", "public dashboards"},
		{"/api/dashboards/tags", "list of tags"},
		{"/api/dashboards/uid/*/permissions", "permissions per dashboard"},
		{"/api/dashboards/uid/*/public-dashboards", "public dashboards"},
		{"/api/dashboards/uid/*/restore", "versions of dashboards"},
		{"/api/dashboards/uid/*/versions", "versions of dashboards"},
		{"/api/datasources/uid/*/cache", "query cache"},
		{"/api/datasources/uid/*/correlations", "correlations"},
		{"/api/datasources/uid/*/lbac", "permissions per data source"},
		{"/api/ds/query/*", "stored queries"},
		{"/api/folders/*/counts", "counts of what a folder contains"},
		{"/api/folders/*/move", "nested folders"},
		{"/api/folders/*/permissions", "permissions per folder"},
		{"/api/gnet", "catalog of plugins and dashboards"},
		{"/api/groupsync", "synchronization of groups"},
		{"/api/library-elements", "library panels"},
		{"/api/licensing", "licenses"},
		{"/api/login", "login tokens"},
		{"/api/org/invites", "invitations"},
		{"/api/org/quotas", "quotas that can be changed"},
		{"/api/orgs", "organizations that can be changed"},
		{"/api/playlists/*/start", "playlists that run in the host"},
		{"/api/plugins/*/install", "installation of plugins"},
		{"/api/plugins/*/uninstall", "installation of plugins"},
		{"/api/plugins/*/versions", "installation of plugins"},
		{"/api/prometheus", "alerting"},
		{"/api/public", "public dashboards"},
		{"/api/query-history", "history of queries"},
		{"/api/recording-rules", "alerting"},
		{"/api/reports", "reports"},
		{"/api/ruler", "alerting"},
		{"/api/saml", "single sign-on"},
		{"/api/short-urls", "short URLs"},
		{"/api/snapshot", "snapshots"},
		{"/api/snapshots", "snapshots"},
		{"/api/snapshots-delete", "snapshots"},
		{"/api/teams", "teams"},
		{"/api/user/auth-tokens", "login tokens"},
		{"/api/user/helpflags", "help flags"},
		{"/api/user/password", "passwords that can be changed over HTTP"},
		{"/api/user/quotas", "quotas that can be changed"},
		{"/api/user/revoke-auth-token", "login tokens"},
		{"/api/user/stars", "stars"},
		{"/api/user/using", "organizations to switch to"},
		{"/api/v1/provisioning", "alerting"},
		{"/api/v1/sso-settings", "single sign-on"},
	}
}

// missing returns the error for a path that no route matches.
func missing(path string) error {
	for _, m := range MissingPaths() {
		if m.matches(path) {
			return &host.Error{Category: host.ErrNotFound, ID: "host.missing", Message: "this host has no " + m.What}
		}
	}
	return host.NotFound("Path")
}

func (m Missing) matches(path string) bool {
	known, segments := strings.Split(m.Path, "/"), strings.Split(strings.TrimSuffix(path, "/"), "/")
	if len(segments) < len(known) {
		return false
	}
	for n, segment := range known {
		if segment != "*" && segment != segments[n] {
			return false
		}
	}
	return true
}
