package api

import (
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
		{"/api/access-control/datasources", "permissions per data source"},
		{"/api/access-control/folders", "permissions per folder"},
		{"/api/access-control/dashboards", "permissions per dashboard"},
		{"/api/access-control/serviceaccounts", "permissions per service account"},
		{"/api/admin", "server administration over HTTP"},
		{"/api/alertmanager", "alerting"},
		{"/api/alerts", "alerting"},
		{"/api/annotations", "annotations"},
		{"/api/dashboards/tags", "list of tags"},
		{"/api/folders/*/permissions", "permissions per folder"},
		{"/api/library-elements", "library panels"},
		{"/api/login", "login tokens"},
		{"/api/orgs", "organizations that can be changed"},
		{"/api/prometheus", "alerting"},
		{"/api/ruler", "alerting"},
		{"/api/short-urls", "short URLs"},
		{"/api/teams", "teams"},
		{"/api/v1/provisioning", "alerting"},
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

func (m missingFamily) matches(path string) bool {
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
