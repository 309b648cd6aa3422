// Command grafanaclient checks that the Go clients that Grafana and the community publish for
// its API work with a host. Its arguments are the address of the host, as host:port, and the
// password of its admin. It prints each step and fails at the first one with an unexpected
// result. It is a separate module, so that nothing else depends on the clients.
package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"

	goapi "github.com/grafana/grafana-openapi-client-go/client"
	"github.com/grafana/grafana-openapi-client-go/client/folders"
	"github.com/grafana/grafana-openapi-client-go/client/playlists"
	"github.com/grafana/grafana-openapi-client-go/client/service_accounts"
	"github.com/grafana/grafana-openapi-client-go/models"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: grafanaclient <host:port> <password of admin>")
		os.Exit(2)
	}
	if err := drive(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func drive(address, password string) error {
	config := &goapi.TransportConfig{Host: address, BasePath: "/api", Schemes: []string{"http"}, BasicAuth: url.UserPassword("admin", password)}
	asAdmin := goapi.NewHTTPClientWithConfig(nil, config)
	token, err := accountSteps(asAdmin.ServiceAccounts)
	if err != nil {
		return err
	}
	withToken := &goapi.TransportConfig{Host: address, BasePath: "/api", Schemes: []string{"http"}, APIKey: token}
	client := goapi.NewHTTPClientWithConfig(nil, withToken)
	return errors.Join(playlistSteps(client.Playlists), folderSteps(client.Folders), contentSteps(client), sourceSteps(client.Datasources), userSteps(asAdmin), querySteps(asAdmin), sdkSteps(address, password))
}

// step prints a step, and exits if the step failed.
func step(name string, err error, isRight bool, got any) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !isRight {
		return fmt.Errorf("%s: got %+v", name, got)
	}
	fmt.Println("ok", name)
	return nil
}

func accountSteps(c service_accounts.ClientService) (token string, err error) {
	created, err := c.CreateServiceAccount(service_accounts.NewCreateServiceAccountParams().
		WithBody(&models.CreateServiceAccountForm{Name: "grafana client", Role: "Admin"}))
	if err = step("create a service account", err, err == nil && created.Payload.Login == "sa-grafana-client" && created.Payload.OrgID == 1, created); err != nil {
		return "", err
	}
	id := created.Payload.ID
	made, err := c.CreateToken(service_accounts.NewCreateTokenParams().WithServiceAccountID(id).
		WithBody(&models.AddServiceAccountTokenCommand{Name: "first", SecondsToLive: 3600}))
	if err = step("create a token", err, err == nil && made.Payload.Key != "" && made.Payload.Name == "first", made); err != nil {
		return "", err
	}
	second, err := c.CreateToken(service_accounts.NewCreateTokenParams().WithServiceAccountID(id).
		WithBody(&models.AddServiceAccountTokenCommand{Name: "second"}))
	if err = step("create another", err, err == nil && second.Payload.ID != made.Payload.ID, second); err != nil {
		return "", err
	}
	listed, err := c.ListTokens(id)
	if err = step("list the tokens", err, err == nil && len(listed.Payload) == 2 && listed.Payload[0].SecondsUntilExpiration > 3000, listed); err != nil {
		return "", err
	}
	_, err = c.DeleteToken(second.Payload.ID, id)
	if err = step("delete a token", err, true, nil); err != nil {
		return "", err
	}
	updated, err := c.UpdateServiceAccount(service_accounts.NewUpdateServiceAccountParams().WithServiceAccountID(id).
		WithBody(&models.UpdateServiceAccountForm{Name: "renamed"}))
	if err = step("rename the account", err, err == nil && updated.Payload.Serviceaccount.Name == "renamed", updated); err != nil {
		return "", err
	}
	read, err := c.RetrieveServiceAccount(id)
	if err = step("read the account", err, err == nil && read.Payload.Tokens == 1, read); err != nil {
		return "", err
	}
	query := "RENAM"
	found, err := c.SearchOrgServiceAccountsWithPaging(service_accounts.NewSearchOrgServiceAccountsWithPagingParams().WithQuery(&query))
	if err = step("search accounts", err, err == nil && found.Payload.TotalCount == 1 && found.Payload.ServiceAccounts[0].Name == "renamed", found); err != nil {
		return "", err
	}
	spare, err := c.CreateServiceAccount(service_accounts.NewCreateServiceAccountParams().WithBody(&models.CreateServiceAccountForm{Name: "spare"}))
	if err == nil {
		_, err = c.DeleteServiceAccount(spare.Payload.ID)
	}
	if err = step("delete an account", err, true, nil); err != nil {
		return "", err
	}
	_, err = c.RetrieveServiceAccount(999)
	var missing *service_accounts.RetrieveServiceAccountNotFound
	if err = step("an unknown account is not found", nil, errors.As(err, &missing), err); err != nil {
		return "", err
	}
	return made.Payload.Key, nil
}

func playlistSteps(c playlists.ClientService) error {
	items := []*models.PlaylistItem{{Type: "dashboard_by_tag", Value: "ops", Order: 1, Title: "Ops"}, {Type: "dashboard_by_id", Value: "3", Order: 2}}
	created, err := c.CreatePlaylist(&models.CreatePlaylistCommand{Name: "Lobby", Interval: "5m", Items: items})
	if err = step("create a playlist", err, err == nil && created.Payload.UID != "" && created.Payload.Name == "Lobby", created); err != nil {
		return err
	}
	uid := created.Payload.UID
	read, err := c.GetPlaylist(uid)
	if err = step("read it", err, err == nil && read.Payload.UID == uid && read.Payload.Interval == "5m", read); err != nil {
		return err
	}
	listed, err := c.GetPlaylistItems(uid)
	if err = step("list its items", err, err == nil && len(listed.Payload) == 2 && listed.Payload[1].Type == "dashboard_by_id", listed); err != nil {
		return err
	}
	query := "lob"
	found, err := c.SearchPlaylists(playlists.NewSearchPlaylistsParams().WithQuery(&query))
	if err = step("search playlists", err, err == nil && len(found.Payload) == 1 && found.Payload[0].UID == uid, found); err != nil {
		return err
	}
	updated, err := c.UpdatePlaylist(uid, &models.UpdatePlaylistCommand{UID: uid, Name: "Hall", Interval: "1h", Items: items[:1]})
	if err = step("update it", err, err == nil && updated.Payload.Name == "Hall" && updated.Payload.Interval == "1h", updated); err != nil {
		return err
	}
	_, err = c.DeletePlaylist(uid)
	if err = step("delete it", err, true, nil); err != nil {
		return err
	}
	_, err = c.GetPlaylist(uid)
	var missing *playlists.GetPlaylistNotFound
	return step("then it is not found", nil, errors.As(err, &missing), err)
}

func folderSteps(c folders.ClientService) error {
	created, err := c.CreateFolder(&models.CreateFolderCommand{Title: "Operations", UID: "ops"})
	if err = step("create a folder", err, err == nil && created.Payload.UID == "ops", created); err != nil {
		return err
	}
	read, err := c.GetFolderByUID("ops")
	if err = step("read the folder", err, err == nil && read.Payload.Title == "Operations", read); err != nil {
		return err
	}
	updated, err := c.UpdateFolder("ops", &models.UpdateFolderCommand{Title: "Ops", Version: 1, Overwrite: true})
	if err = step("rename the folder", err, err == nil && updated.Payload.Title == "Ops", updated); err != nil {
		return err
	}
	listed, err := c.GetFolders(folders.NewGetFoldersParams())
	if err = step("list folders", err, err == nil && len(listed.Payload) == 1 && listed.Payload[0].Title == "Ops", listed); err != nil {
		return err
	}
	gone, err := c.DeleteFolder(folders.NewDeleteFolderParams().WithFolderUID("ops"))
	if err = step("delete the folder", err, err == nil && gone.Payload.Message != nil, gone); err != nil {
		return err
	}
	_, err = c.GetFolderByUID("ops")
	var missing *folders.GetFolderByUIDNotFound
	return step("then the folder is not found", nil, errors.As(err, &missing), err)
}
