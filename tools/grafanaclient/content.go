package main

import (
	"errors"
	"fmt"
	"net/http"

	goapi "github.com/grafana/grafana-openapi-client-go/client"
	"github.com/grafana/grafana-openapi-client-go/client/access_control"
	"github.com/grafana/grafana-openapi-client-go/client/dashboards"
	"github.com/grafana/grafana-openapi-client-go/client/datasources"
	"github.com/grafana/grafana-openapi-client-go/client/folders"
	"github.com/grafana/grafana-openapi-client-go/client/org"
	"github.com/grafana/grafana-openapi-client-go/client/search"
	"github.com/grafana/grafana-openapi-client-go/client/teams"
	"github.com/grafana/grafana-openapi-client-go/client/users"
	"github.com/grafana/grafana-openapi-client-go/models"
)

// fails is step for a call that must fail with a status.
func fails(name string, err error, status int) error {
	var known interface{ IsCode(status int) bool }
	return step(name, nil, errors.As(err, &known) && known.IsCode(status), err)
}

// contentSteps runs the operations on folders, dashboards and the search.
func contentSteps(c *goapi.GrafanaHTTPAPI) error {
	folder, err := c.Folders.CreateFolder(&models.CreateFolderCommand{Title: "Content", UID: "content"})
	if err = step("create a folder with its details", err, err == nil && folder.Payload.Version == 1 && folder.Payload.URL == "/dashboards/f/content/content" && !folder.Payload.Created.IsZero(), folder); err != nil {
		return err
	}
	byID, err := c.Folders.GetFolderByID(folder.Payload.ID)
	if err = step("read the folder by id", err, err == nil && byID.Payload.UID == "content", byID); err != nil {
		return err
	}
	renamed, err := c.Folders.UpdateFolder("content", &models.UpdateFolderCommand{Title: "Content 2", Version: 1})
	if err = step("rename the version that was read", err, err == nil && renamed.Payload.Version == 2, renamed); err != nil {
		return err
	}
	_, err = c.Folders.UpdateFolder("content", &models.UpdateFolderCommand{Title: "Content 3", Version: 1})
	if err = fails("a rename of an old version fails", err, http.StatusPreconditionFailed); err != nil {
		return err
	}
	model := map[string]any{"uid": "board", "title": "Board", "tags": []string{"ops"}, "panels": []any{}}
	saved, err := c.Dashboards.PostDashboard(&models.SaveDashboardCommand{Dashboard: model, FolderUID: "content"})
	if err = step("save a dashboard", err, err == nil && *saved.Payload.UID == "board" && *saved.Payload.Version == 1 && *saved.Payload.Status == "success", saved); err != nil {
		return err
	}
	_, err = c.Dashboards.PostDashboard(&models.SaveDashboardCommand{Dashboard: model, FolderUID: "content"})
	if err = fails("a save of an old version fails", err, http.StatusPreconditionFailed); err != nil {
		return err
	}
	read, err := c.Dashboards.GetDashboardByUID("board")
	if err = step("read the dashboard", err, err == nil && read.Payload.Meta.FolderUID == "content" && read.Payload.Meta.FolderID == folder.Payload.ID && read.Payload.Meta.CanSave, read); err != nil {
		return err
	}
	query := "oar"
	found, err := c.Search.Search(search.NewSearchParams().WithQuery(&query).WithTag([]string{"ops"}).WithDashboardUIDs([]string{"board"}))
	if err = step("search it", err, err == nil && len(found.Payload) == 1 && found.Payload[0].UID == "board" && found.Payload[0].FolderUID == "content", found); err != nil {
		return err
	}
	imported, err := c.Dashboards.ImportDashboard(&models.ImportDashboardRequest{FolderUID: "content",
		Dashboard: map[string]any{"uid": "shared", "title": "Shared", "__inputs": []any{map[string]any{"name": "DS", "type": "datasource"}}, "x": "${DS}"},
		Inputs:    []*models.ImportDashboardInput{{Name: "DS", Type: "datasource", Value: "mine"}}})
	if err = step("import a dashboard", err, err == nil && imported.Payload.Imported && imported.Payload.UID == "shared" && imported.Payload.DashboardID != 0, imported); err != nil {
		return err
	}
	_, err = c.Dashboards.GetDashboardByUID("none")
	if err = fails("an unknown dashboard is not found", err, http.StatusNotFound); err != nil {
		return err
	}
	_, err = c.Dashboards.GetDashboardVersionsByUID(dashboards.NewGetDashboardVersionsByUIDParams().WithUID("board"))
	if err = fails("there are no versions", err, http.StatusNotFound); err != nil {
		return err
	}
	gone, err := c.Dashboards.DeleteDashboardByUID("board")
	if err = step("delete the dashboard", err, err == nil && *gone.Payload.Title == "Board", gone); err != nil {
		return err
	}
	_, err = c.Folders.DeleteFolder(folders.NewDeleteFolderParams().WithFolderUID("content"))
	return step("delete the folder with the other one", err, true, nil)
}

// sourceSteps runs the operations on data sources.
func sourceSteps(c datasources.ClientService) error {
	created, err := c.AddDataSource(&models.AddDataSourceCommand{Name: "Main", UID: "main", Type: "acme-none-datasource", Access: "proxy", URL: "https://db.example",
		JSONData: map[string]any{"a": 1}, SecureJSONData: map[string]string{"k": "v"}})
	if err = step("create a data source", err, err == nil && *created.Payload.Name == "Main" && created.Payload.Datasource.UID == "main", created); err != nil {
		return err
	}
	id := fmt.Sprint(*created.Payload.ID)
	for name, read := range map[string]func() (*models.DataSource, error){
		"by uid": func() (*models.DataSource, error) {
			got, err := c.GetDataSourceByUID("main")
			if err != nil {
				return nil, err
			}
			return got.Payload, nil
		},
		"by id": func() (*models.DataSource, error) {
			got, err := c.GetDataSourceByID(id)
			if err != nil {
				return nil, err
			}
			return got.Payload, nil
		},
		"by name": func() (*models.DataSource, error) {
			got, err := c.GetDataSourceByName("Main")
			if err != nil {
				return nil, err
			}
			return got.Payload, nil
		},
	} {
		got, err := read()
		if err = step("read the data source "+name, err, err == nil && got.UID == "main" && got.SecureJSONFields["k"], got); err != nil {
			return err
		}
	}
	found, err := c.GetDataSourceIDByName("Main")
	if err = step("find the id by name", err, err == nil && *found.Payload.ID == *created.Payload.ID, found); err != nil {
		return err
	}
	all, err := c.GetDataSources()
	if err = step("list data sources", err, err == nil && len(all.Payload) == 1 && all.Payload[0].Name == "Main", all); err != nil {
		return err
	}
	change := &models.UpdateDataSourceCommand{Name: "Other", UID: "main", Type: "acme-none-datasource", Access: "proxy", URL: "https://db.example"}
	changed, err := c.UpdateDataSourceByUID("main", change)
	if err = step("change the data source by uid", err, err == nil && *changed.Payload.Name == "Other" && changed.Payload.Datasource.Version == 2, changed); err != nil {
		return err
	}
	byID, err := c.UpdateDataSourceByID(id, change)
	if err = step("change the data source by id", err, err == nil && byID.Payload.Datasource.Version == 3, byID); err != nil {
		return err
	}
	_, err = c.CheckDatasourceHealthWithUID("main")
	if err = step("the health of a data source without its plugin", nil, err != nil, nil); err != nil {
		return err
	}
	_, err = c.CallDatasourceResourceByID(id, "x")
	if err = fails("a resource of a data source without its plugin is not found", err, http.StatusNotFound); err != nil {
		return err
	}
	_, err = c.DeleteDataSourceByName("Other")
	if err = step("delete the data source by name", err, true, nil); err != nil {
		return err
	}
	for name, remove := range map[string]func(id string) error{
		"by uid": func(string) error { _, err := c.DeleteDataSourceByUID("main"); return err },
		"by id":  func(id string) error { _, err := c.DeleteDataSourceByID(id); return err },
	} {
		again, err := c.AddDataSource(&models.AddDataSourceCommand{Name: "Main", UID: "main", Type: "acme-none-datasource", Access: "proxy"})
		if err == nil {
			err = remove(fmt.Sprint(*again.Payload.ID))
		}
		if err = step("delete the data source "+name, err, true, nil); err != nil {
			return err
		}
	}
	_, err = c.GetDataSourceByUID("main")
	return fails("then the data source is not found", err, http.StatusNotFound)
}

// querySteps runs a query, and checks the responses of a data source whose plugin is not mounted.
func querySteps(c *goapi.GrafanaHTTPAPI) error {
	from, to := "now-1h", "now"
	sum := map[string]any{"refId": "A", "datasource": map[string]any{"type": "__expr__", "uid": "__expr__"}, "type": "math", "expression": "1 + 2"}
	answered, partly, err := c.Datasources.QueryMetricsWithExpressions(&models.MetricRequest{From: &from, To: &to, Queries: []models.JSON{sum}})
	if err = step("query", err, err == nil && partly == nil && len(answered.Payload.Results["A"].Frames) == 1, answered); err != nil {
		return err
	}
	created, err := c.Datasources.AddDataSource(&models.AddDataSourceCommand{Name: "Idle", UID: "idle", Type: "acme-none-datasource", Access: "proxy"})
	if err != nil {
		return err
	}
	id := fmt.Sprint(*created.Payload.ID)
	for name, call := range map[string]func() error{
		"health by id":  func() error { _, err := c.Datasources.CheckDatasourceHealthByID(id); return err },
		"a resource":    func() error { _, err := c.Datasources.CallDatasourceResourceWithUID("idle", "x"); return err },
		"GET by id":     func() error { _, err := c.Datasources.DatasourceProxyGETcalls(id, "x"); return err },
		"GET by uid":    func() error { _, err := c.Datasources.DatasourceProxyGETByUIDcalls("idle", "x"); return err },
		"DELETE by id":  func() error { _, err := c.Datasources.DatasourceProxyDELETEcalls(id, "x"); return err },
		"DELETE by uid": func() error { _, err := c.Datasources.DatasourceProxyDELETEByUIDcalls("idle", "x"); return err },
		"POST by id": func() error {
			_, _, err := c.Datasources.DatasourceProxyPOSTcalls(datasources.NewDatasourceProxyPOSTcallsParams().WithID(id).WithDatasourceProxyRoute("x"))
			return err
		},
		"POST by uid": func() error {
			_, _, err := c.Datasources.DatasourceProxyPOSTByUIDcalls(datasources.NewDatasourceProxyPOSTByUIDcallsParams().WithUID("idle").WithDatasourceProxyRoute("x"))
			return err
		},
	} {
		if err = fails(name+" of a data source without its plugin", call(), http.StatusNotFound); err != nil {
			return err
		}
	}
	roles, err := c.AccessControl.ListRoles(access_control.NewListRolesParams())
	if err = step("list the roles of plugins", err, err == nil && len(roles.Payload) == 0, roles); err != nil {
		return err
	}
	_, err = c.Datasources.DeleteDataSourceByUID("idle")
	return err
}

// userSteps runs the operations on users, the organization, teams and the host. They need
// a user.
func userSteps(c *goapi.GrafanaHTTPAPI) error {
	me, err := c.SignedInUser.GetSignedInUser()
	if err = step("read the signed-in user", err, err == nil && me.Payload.Login == "admin" && me.Payload.IsGrafanaAdmin && me.Payload.OrgID == 1, me); err != nil {
		return err
	}
	orgs, err := c.SignedInUser.GetSignedInUserOrgList()
	if err = step("list the organizations of the user", err, err == nil && len(orgs.Payload) == 1 && orgs.Payload[0].Role == "Admin", orgs); err != nil {
		return err
	}
	mine, err := c.SignedInUser.GetSignedInUserTeamList()
	if err = step("list the teams of the user", err, err == nil && len(mine.Payload) == 0, mine); err != nil {
		return err
	}
	preferences, err := c.SignedInUser.GetUserPreferences()
	if err = step("read the preferences of the user", err, err == nil && preferences.Payload.Theme == "", preferences); err != nil {
		return err
	}
	current, err := c.Org.GetCurrentOrg()
	if err = step("read the organization", err, err == nil && current.Payload.Name == "Main Org.", current); err != nil {
		return err
	}
	ofOrg, err := c.Org.GetOrgPreferences()
	if err = step("read the preferences of the organization", err, err == nil && ofOrg.Payload.Timezone == "", ofOrg); err != nil {
		return err
	}
	members, err := c.Org.GetOrgUsersForCurrentOrg(org.NewGetOrgUsersForCurrentOrgParams())
	if err = step("list the users of the organization", err, err == nil && len(members.Payload) == 1 && members.Payload[0].Login == "admin" && members.Payload[0].Role == "Admin", members); err != nil {
		return err
	}
	known, err := c.Org.GetOrgUsersForCurrentOrgLookup(org.NewGetOrgUsersForCurrentOrgLookupParams())
	if err = step("look up the users of the organization", err, err == nil && len(known.Payload) == 1 && known.Payload[0].Login == "admin", known); err != nil {
		return err
	}
	all, err := c.Users.SearchUsers(users.NewSearchUsersParams())
	if err = step("list users", err, err == nil && len(all.Payload) == 1 && all.Payload[0].IsAdmin, all); err != nil {
		return err
	}
	page, err := c.Users.SearchUsersWithPaging()
	if err = step("list users with their number", err, err == nil && page.Payload.TotalCount == 1, page); err != nil {
		return err
	}
	orgsOfUser, err := c.Users.GetUserOrgList(me.Payload.ID)
	if err = step("list the organizations of a user", err, err == nil && len(orgsOfUser.Payload) == 1 && orgsOfUser.Payload[0].OrgID == 1, orgsOfUser); err != nil {
		return err
	}
	teamsOfUser, err := c.Users.GetUserTeams(me.Payload.ID)
	if err = step("list the teams of a user", err, err == nil && len(teamsOfUser.Payload) == 0, teamsOfUser); err != nil {
		return err
	}
	one, err := c.Users.GetUserByID(me.Payload.ID)
	if err = step("read a user", err, err == nil && one.Payload.Login == "admin", one); err != nil {
		return err
	}
	named, err := c.Users.GetUserByLoginOrEmail("admin")
	if err = step("read a user by login", err, err == nil && named.Payload.ID == me.Payload.ID, named); err != nil {
		return err
	}
	_, err = c.Users.GetUserByID(99)
	if err = fails("an unknown user is not found", err, http.StatusNotFound); err != nil {
		return err
	}
	none, err := c.Teams.SearchTeams(teams.NewSearchTeamsParams())
	if err = step("search teams", err, err == nil && none.Payload.TotalCount == 0, none); err != nil {
		return err
	}
	healthy, err := c.Health.GetHealth()
	return step("read the health of the host", err, err == nil && healthy.Payload.Database == "ok", healthy)
}
