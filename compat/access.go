package compat

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/bundle/access"
)

// permissions reports what the host of this program and existing ones do not grant of what "iam"
// asks for.
func (p plugin) permissions() []Row {
	if p.metadata.IAM == nil {
		return nil
	}
	var actions, unknown []string
	byRole, isKey := false, false
	for _, asked := range p.metadata.IAM.Permissions {
		if slices.Contains(actions, asked.Action) {
			continue
		}
		actions = append(actions, asked.Action)
		if !slices.Contains(access.Actions(), asked.Action) && !strings.HasPrefix(asked.Action, p.metadata.ID) {
			unknown = append(unknown, asked.Action)
		}
		byRole = byRole || asked.Action == access.PlaylistsWrite
		isKey = isKey || access.Resource(asked.Action) == access.Resource(access.APIKeysRead)
	}
	row := Row{Aspect: "permissions", Found: joinOr(actions, "none"), Here: Yes, Existing: Yes}
	help := []string{"needs the feature toggle " + access.ToggleServiceAccounts +
		", and in existing hosts managed_service_accounts_enabled = true in the section [auth] of their configuration"}
	if len(unknown) > 0 {
		row.Here = Partly
		help = append(help, "this host does not have "+strings.Join(unknown, ", ")+", which has no effect here")
	}
	if byRole {
		row.Existing = Partly
		help = append(help, "existing hosts up to version 12.4 let only editors change playlists, whatever the permissions of the plugin: "+
			"handle the status 403")
	}
	if isKey {
		row.Existing = Partly
		help = append(help, "recent existing hosts do not have API keys: use service accounts")
	}
	row.Help = strings.Join(help, "; ")
	return []Row{row}
}

// goneRoute is a part of the API that existing hosts no longer serve.
type goneRoute struct {
	called  *regexp.Regexp // the path, or the method of sdk/hostapi
	since   string         // the range of versions without it
	instead string
}

// goneRoutes returns what plugins may still call. Pull requests 75503 and 106019 of
// https://github.com/grafana/grafana removed it.
func goneRoutes() []goneRoute {
	const accounts = "create service accounts and their tokens instead"
	return []goneRoute{
		{regexp.MustCompile(`^(/api/playlists/[^/]+/dashboards|hostapi\.PlaylistDashboards)$`), ">=10.2.0",
			"read the items of the playlist and search for the dashboards instead"},
		{regexp.MustCompile(`^/api/auth/keys(/|$)`), ">=12.1.0", accounts},
		{regexp.MustCompile(`^/api/serviceaccounts/migrate(/|$)`), ">=12.1.0", accounts},
	}
}

// goneRows returns a row for each part of the API that the plugin calls and the existing host does
// not serve.
func goneRows(called []string, o Options) (rows []Row) {
	for _, gone := range goneRoutes() {
		found := slices.DeleteFunc(slices.Clone(called), func(route string) bool { return !gone.called.MatchString(route) })
		if len(found) > 0 && admits(gone.since, o.Existing) != No {
			rows = append(rows, Row{Aspect: "routes", Found: strings.Join(found, ", "), Here: Yes, Existing: Partly,
				Help: fmt.Sprintf("existing hosts of versions %s do not serve it: %s", gone.since, gone.instead)})
		}
	}
	return rows
}
