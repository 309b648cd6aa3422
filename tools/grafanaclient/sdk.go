package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/grafana-tools/sdk"
)

// failsWith is step for a call of the community's client that must fail. Its errors
// contain the status.
func failsWith(name string, err error, status int) error {
	return step(name, nil, err != nil && strings.Contains(err.Error(), fmt.Sprintf("HTTP error %d", status)), err)
}

// sdkSteps runs the operations of github.com/grafana-tools/sdk, which the community wrote by
// hand for earlier versions.
func sdkSteps(address, password string) error {
	c, err := sdk.NewClient("http://"+address, "admin:"+password, http.DefaultClient)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for _, run := range []func(context.Context, *sdk.Client) error{sdkFolders, sdkDashboards, sdkSources, sdkUsers} {
		if err := run(ctx, c); err != nil {
			return fmt.Errorf("grafana-tools/sdk: %w", err)
		}
	}
	return nil
}

func sdkFolders(ctx context.Context, c *sdk.Client) error {
	folder, err := c.CreateFolder(ctx, sdk.Folder{UID: "sdk", Title: "SDK"})
	if err = step("CreateFolder", err, folder.UID == "sdk" && folder.Version == 1 && folder.CreatedBy == "admin", folder); err != nil {
		return err
	}
	byID, err := c.GetFolderByID(ctx, folder.ID)
	if err = step("GetFolderByID", err, byID.UID == "sdk", byID); err != nil {
		return err
	}
	folder.Title = "SDK 2"
	renamed, err := c.UpdateFolderByUID(ctx, folder)
	if err = step("UpdateFolderByUID", err, renamed.Version == 2 && renamed.CanSave, renamed); err != nil {
		return err
	}
	_, err = c.UpdateFolderByUID(ctx, folder)
	if err = failsWith("UpdateFolderByUID of an old version", err, http.StatusPreconditionFailed); err != nil {
		return err
	}
	read, err := c.GetFolderByUID(ctx, "sdk")
	if err = step("GetFolderByUID", err, read.Title == "SDK 2", read); err != nil {
		return err
	}
	all, err := c.GetAllFolders(ctx)
	if err = step("GetAllFolders", err, len(all) == 1 && all[0].ID == folder.ID, all); err != nil {
		return err
	}
	_, err = c.GetFolderPermissions(ctx, "sdk")
	if err = failsWith("GetFolderPermissions, which the host does not have", err, http.StatusNotFound); err != nil {
		return err
	}
	isDeleted, err := c.DeleteFolderByUID(ctx, "sdk")
	if err = step("DeleteFolderByUID", err, isDeleted, nil); err != nil {
		return err
	}
	_, err = c.GetFolderByUID(ctx, "sdk")
	return failsWith("GetFolderByUID of no folder", err, http.StatusNotFound)
}

func sdkDashboards(ctx context.Context, c *sdk.Client) error {
	folder, err := c.CreateFolder(ctx, sdk.Folder{UID: "boards", Title: "Boards"})
	if err != nil {
		return err
	}
	board := sdk.NewBoard("SDK board")
	board.UID, board.Tags = "sdk-board", []string{"sdk"}
	saved, err := c.SetDashboard(ctx, *board, sdk.SetDashboardParams{FolderID: folder.ID})
	if err = step("SetDashboard", err, err == nil && *saved.UID == "sdk-board" && *saved.Version == 1 && *saved.Slug == "sdk-board", saved); err != nil {
		return err
	}
	_, err = c.SetDashboard(ctx, *board, sdk.SetDashboardParams{FolderID: folder.ID})
	if err = failsWith("SetDashboard of an old version", err, http.StatusPreconditionFailed); err != nil {
		return err
	}
	read, meta, err := c.GetDashboardByUID(ctx, "sdk-board")
	if err = step("GetDashboardByUID", err, read.Title == "SDK board" && read.ID == *saved.ID && meta.FolderID == folder.ID && meta.Version == 1 && !meta.Created.IsZero(), meta); err != nil {
		return err
	}
	raw, _, err := c.GetRawDashboardByUID(ctx, "sdk-board")
	if err = step("GetRawDashboardByUID", err, strings.Contains(string(raw), `"SDK board"`), string(raw)); err != nil {
		return err
	}
	again, err := c.SetRawDashboard(ctx, raw)
	if err = step("SetRawDashboard", err, err == nil && *again.Version == 2, again); err != nil {
		return err
	}
	moved, err := c.SetRawDashboardWithParam(ctx, sdk.RawBoardRequest{Dashboard: raw, Parameters: sdk.SetDashboardParams{FolderID: folder.ID, Overwrite: true}})
	if err = step("SetRawDashboardWithParam", err, err == nil && *moved.Version == 3, moved); err != nil {
		return err
	}
	found, err := c.Search(ctx, sdk.SearchQuery("SDK"), sdk.SearchTag("sdk"), sdk.SearchType(sdk.SearchTypeDashboard), sdk.SearchLimit(5), sdk.SearchPage(1))
	if err = step("Search", err, len(found) == 1 && found[0].UID == "sdk-board" && found[0].FolderUID == "boards", found); err != nil {
		return err
	}
	none, err := c.SearchDashboards(ctx, "SDK", true)
	if err = step("SearchDashboards with a star", err, len(none) == 0, none); err != nil {
		return err
	}
	_, err = c.GetDashboardVersionsByDashboardID(ctx, *saved.ID)
	if err = failsWith("GetDashboardVersionsByDashboardID, which the host does not have", err, http.StatusNotFound); err != nil {
		return err
	}
	gone, err := c.DeleteDashboardByUID(ctx, "sdk-board")
	if err = step("DeleteDashboardByUID", err, err == nil && *gone.Message == "Dashboard SDK board deleted", gone); err != nil {
		return err
	}
	_, _, err = c.GetDashboardByUID(ctx, "sdk-board")
	if err = failsWith("GetDashboardByUID of no dashboard", err, http.StatusNotFound); err != nil {
		return err
	}
	_, err = c.DeleteFolderByUID(ctx, "boards")
	return err
}

func sdkSources(ctx context.Context, c *sdk.Client) error {
	source := sdk.Datasource{UID: "sdk", Name: "SDK", Type: "acme-none-datasource", Access: "proxy", URL: "https://db.example", JSONData: map[string]any{"a": 1}}
	created, err := c.CreateDatasource(ctx, source)
	if err = step("CreateDatasource", err, err == nil && created.ID != nil, created); err != nil {
		return err
	}
	read, err := c.GetDatasource(ctx, *created.ID)
	if err = step("GetDatasource", err, read.UID == "sdk" && !*read.ReadOnly && read.OrgID == 1, read); err != nil {
		return err
	}
	read.Name = "SDK 2"
	updated, err := c.UpdateDatasource(ctx, read)
	if err = step("UpdateDatasource", err, err == nil && *updated.Message == "Datasource updated", updated); err != nil {
		return err
	}
	named, err := c.GetDatasourceByName(ctx, "SDK 2")
	if err = step("GetDatasourceByName", err, named.ID == *created.ID, named); err != nil {
		return err
	}
	all, err := c.GetAllDatasources(ctx)
	if err = step("GetAllDatasources", err, len(all) == 1 && all[0].Name == "SDK 2", all); err != nil {
		return err
	}
	gone, err := c.DeleteDatasourceByName(ctx, "SDK 2")
	if err = step("DeleteDatasourceByName", err, err == nil && *gone.Message == "Data source deleted", gone); err != nil {
		return err
	}
	created, err = c.CreateDatasource(ctx, source)
	if err == nil {
		gone, err = c.DeleteDatasource(ctx, *created.ID)
	}
	if err = step("DeleteDatasource", err, err == nil && *gone.Message == "Data source deleted", gone); err != nil {
		return err
	}
	_, err = c.GetDatasource(ctx, *created.ID)
	return failsWith("GetDatasource of no data source", err, http.StatusNotFound)
}

func sdkUsers(ctx context.Context, c *sdk.Client) error {
	me, err := c.GetActualUser(ctx)
	if err = step("GetActualUser", err, me.Login == "admin" && me.IsGrafanaAdmin, me); err != nil {
		return err
	}
	one, err := c.GetUser(ctx, me.ID)
	if err = step("GetUser", err, one.Login == "admin", one); err != nil {
		return err
	}
	all, err := c.GetAllUsers(ctx)
	if err = step("GetAllUsers", err, len(all) == 1 && all[0].IsAdmin, all); err != nil {
		return err
	}
	query, perPage, first := "adm", 5, 1
	page, err := c.SearchUsersWithPaging(ctx, &query, &perPage, &first)
	if err = step("SearchUsersWithPaging", err, page.TotalCount == 1 && page.PerPage == 5, page); err != nil {
		return err
	}
	org, err := c.GetActualOrg(ctx)
	if err = step("GetActualOrg", err, org.ID == 1 && org.Name == "Main Org.", org); err != nil {
		return err
	}
	members, err := c.GetActualOrgUsers(ctx)
	if err = step("GetActualOrgUsers", err, len(members) == 1 && members[0].Role == "Admin", members); err != nil {
		return err
	}
	preferences, err := c.GetActualOrgPreferences(ctx)
	if err = step("GetActualOrgPreferences", err, preferences.Theme == "", preferences); err != nil {
		return err
	}
	teams, err := c.SearchTeams(ctx, sdk.WithQuery("x"), sdk.WithPagesize(7), sdk.WithPage(1))
	if err = step("SearchTeams", err, teams.TotalCount == 0 && teams.PerPage == 7, teams); err != nil {
		return err
	}
	_, err = c.GetTeam(ctx, 1)
	if err = step("GetTeam, which the host does not have", nil, err != nil, err); err != nil {
		return err
	}
	health, err := c.GetHealth(ctx)
	return step("GetHealth", err, health.Database == "ok", health)
}
