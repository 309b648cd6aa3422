package api

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/host"
)

// missingFamily is a family of paths that existing hosts serve and this one does not.
type missingFamily struct {
	Path string // what it begins with; "*" stands for one segment
	What string // what this host does not have
}

// MissingPaths returns the families of paths that plugins and tools call, that existing hosts
// serve and this one does not. Their responses say what is missing.
func MissingPaths() []missingFamily {
	return []missingFamily{
		{"/api/access-control", "roles, and permissions per resource"},
		{"/api/admin", "server administration over HTTP"},
		{"/api/alert-notifications", "alerting"},
		{"/api/alertmanager", "alerting"},
		{"/api/alerts", "alerting"},
		{"/api/annotations", "annotations"},
		{"/api/anonymous", "devices of anonymous users"},
		{"/api/cloudmigration", "migration to the cloud"},
		{"/api/convert", "alerting"},
		{"/api/correlations", "correlations"},
		{"/api/dashboard/snapshots", "snapshots"},
		{"/api/dashboards/calculate-diff", "earlier versions of dashboards"},
		{"/api/dashboards/home", "home dashboard"},
		{"/api/dashboards/id", "routes of dashboards by numeric id"},
		{"/api/dashboards/interpolate", "interpolation of dashboards"},
		{"/api/dashboards/public-dashboards", "public dashboards"},
		{"/api/dashboards/tags", "list of tags"},
		{"/api/dashboards/uid/*/permissions", "permissions per dashboard"},
		{"/api/dashboards/uid/*/public-dashboards", "public dashboards"},
		{"/api/dashboards/uid/*/restore", "earlier versions of dashboards"},
		{"/api/dashboards/uid/*/versions", "earlier versions of dashboards"},
		{"/api/datasources/correlations/*", "correlations"},
		{"/api/datasources/id/*", "data source ids by name; read /api/datasources/name/{name}"},
		{"/api/datasources/uid/*/correlations", "correlations"},
		{"/api/datasources/uid/*/lbac", "permissions per data source"},
		{"/api/datasources/*/cache", "query caching"},
		{"/api/datasources/*/health", "health of data sources by numeric id; read /api/datasources/uid/{uid}/health"},
		{"/api/datasources/*/permissions", "permissions per data source"},
		{"/api/folders/id/*", "routes of folders by numeric id"},
		{"/api/folders/*/counts", "counts of folders"},
		{"/api/folders/*/move", "folders in folders"},
		{"/api/folders/*/permissions", "permissions per folder"},
		{"/api/groupsync", "groups of an identity provider"},
		{"/api/library-elements", "library panels"},
		{"/api/licensing", "licenses"},
		{"/api/login", "login tokens"},
		{"/api/logout/saml", "SAML"},
		{"/api/org/address", "addresses"},
		{"/api/org/invites", "invitations"},
		{"/api/org/preferences", "preferences"},
		{"/api/org/quotas", "quotas per organization"},
		{"/api/org/users/lookup", "lookup of users"},
		{"/api/org/users/*", "users that can be changed"},
		{"/api/orgs", "organizations that can be changed"},
		{"/api/prometheus", "alerting"},
		{"/api/public", "public dashboards"},
		{"/api/query-history", "query history"},
		{"/api/quotas", "quotas per organization"},
		{"/api/recording-rules", "recorded queries"},
		{"/api/reports", "reports"},
		{"/api/ruler", "alerting"},
		{"/api/saml", "SAML"},
		{"/api/search/sorting", "sorting of searches"},
		{"/api/short-urls", "short URLs"},
		{"/api/signing-keys", "signing keys"},
		{"/api/snapshot", "snapshots"},
		{"/api/snapshots", "snapshots"},
		{"/api/snapshots-delete", "snapshots"},
		{"/api/teams", "teams"},
		{"/api/user/auth-tokens", "login tokens"},
		{"/api/user/email", "users that can be changed"},
		{"/api/user/helpflags", "help flags"},
		{"/api/user/orgs", "organizations that can be changed"},
		{"/api/user/password", "passwords that can be changed over HTTP"},
		{"/api/user/preferences", "preferences"},
		{"/api/user/quotas", "quotas per user"},
		{"/api/user/revoke-auth-token", "login tokens"},
		{"/api/user/stars", "stars of dashboards"},
		{"/api/user/teams", "teams"},
		{"/api/user/using", "organizations that can be changed"},
		{"/api/users/lookup", "lookup of users; list them at /api/users"},
		{"/api/users/search", "search for users; list them at /api/users"},
		{"/api/users/*", "users that can be read or changed one by one; list them at /api/users"},
		{"/api/v1/provisioning", "alerting"},
		{"/api/v1/sso-settings", "single sign-on"},
	}
}

// missing returns the error for a path that no route matches.
func missing(requested string) error {
	for _, m := range MissingPaths() {
		if m.matches(requested) {
			return &host.Error{Category: host.ErrNotFound, ID: "host.missing", Message: "this host has no " + m.What}
		}
	}
	return host.NotFound("Path")
}

func (m missingFamily) matches(requested string) bool {
	segments := strings.Split(strings.TrimSuffix(requested, "/"), "/")
	known := min(strings.Count(m.Path, "/")+1, len(segments))
	ok, _ := path.Match(m.Path, strings.Join(segments[:known], "/")) // the patterns are valid
	return ok
}
