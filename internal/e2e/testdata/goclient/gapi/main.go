// Uses the client of Grafana's API that version 1 of the Terraform provider is built on, as its resources do: create,
// read, change and delete. Arguments: the URL of a host and a token.
package main

import (
	"fmt"
	"net/url"
	"os"

	gapi "github.com/grafana/grafana-api-golang-client"
)

var calls int

// did ends the program if a call failed or its result is not the wanted one.
func did(name string, err error, got, want any) {
	if err != nil || got != want {
		fmt.Printf("%s: %v: %v, want %v\n", name, err, got, want)
		os.Exit(1)
	}
	calls++
}

func main() {
	c, err := gapi.New(os.Args[1], gapi.Config{APIKey: os.Args[2]})
	did("client", err, nil, nil)

	uid, err := c.NewPlaylist(gapi.Playlist{Name: "One", Interval: "5m", Items: []gapi.PlaylistItem{{Type: "dashboard_by_tag", Value: "a", Order: 1, Title: "A"}}})
	did("create a playlist", err, uid != "", true)
	did("change a playlist", c.UpdatePlaylist(gapi.Playlist{UID: uid, Name: "Two", Interval: "6m", Items: []gapi.PlaylistItem{{Type: "dashboard_by_uid", Value: "b", Order: 1, Title: "B"}}}), nil, nil)
	list, err := c.Playlist(uid)
	did("read a playlist", err, list.Name+list.Interval+list.Items[0].Value, "Two6mb")
	did("delete a playlist", c.DeletePlaylist(uid), nil, nil)

	account, err := c.CreateServiceAccount(gapi.CreateServiceAccountRequest{Name: "one", Role: "Viewer"})
	did("create an account", err, account.Role, "Viewer")
	_, err = c.UpdateServiceAccount(account.ID, gapi.UpdateServiceAccountRequest{Name: "two", Role: "Editor"})
	did("change an account", err, nil, nil)
	token, err := c.CreateServiceAccountToken(gapi.CreateServiceAccountTokenRequest{Name: "t", ServiceAccountID: account.ID, SecondsToLive: 60})
	did("create a token", err, token.Key != "", true)
	tokens, err := c.GetServiceAccountTokens(account.ID)
	did("list tokens", err, len(tokens), 1)
	_, err = c.DeleteServiceAccountToken(account.ID, token.ID)
	did("delete a token", err, nil, nil)
	accounts, err := c.GetServiceAccounts()
	did("list accounts", err, len(accounts) > 0, true)
	_, err = c.DeleteServiceAccount(account.ID)
	did("delete an account", err, nil, nil)

	key, err := c.CreateAPIKey(gapi.CreateAPIKeyRequest{Name: "k", Role: "Viewer", SecondsToLive: 60})
	did("create a key", err, key.Key != "", true)
	keys, err := c.GetAPIKeys(true)
	did("list keys", err, len(keys), 1)
	_, err = c.DeleteAPIKey(keys[0].ID)
	did("delete a key", err, nil, nil)

	folder, err := c.NewFolder("Older", "older")
	did("create a folder", err, folder.UID, "older")
	did("change a folder", c.UpdateFolder("older", "Old"), nil, nil)
	read, err := c.FolderByUID("older")
	did("read a folder", err, read.Title, "Old")
	found, err := c.FolderDashboardSearch(url.Values{"type": {"dash-folder"}, "query": {"Old"}})
	did("search for a folder", err, len(found), 1)
	saved, err := c.NewDashboard(gapi.Dashboard{FolderUID: "older", Model: map[string]any{"title": "Board", "uid": "older-board"}})
	did("save a dashboard", err, saved.UID, "older-board")
	board, err := c.DashboardByUID("older-board")
	did("read a dashboard", err, board.Model["title"], "Board")
	did("delete a dashboard", c.DeleteDashboardByUID("older-board"), nil, nil)
	did("delete a folder", c.DeleteFolder("older"), nil, nil)

	for _, drop := range []func(id int64) error{c.DeleteDataSource, func(int64) error { return c.DeleteDataSourceByName("Older") }} {
		source := &gapi.DataSource{Name: "Older", UID: "older", Type: "acme-x", Access: "proxy", JSONData: map[string]any{"httpHeaderName1": "X-A"}, SecureJSONData: map[string]any{"httpHeaderValue1": "a"}}
		source.ID, err = c.NewDataSource(source)
		did("create a data source", err, source.ID > 0, true)
		source.URL = "http://127.0.0.1:1"
		did("change a data source", c.UpdateDataSourceByUID(source), nil, nil)
		got, err := c.DataSourceByUID("older")
		did("read a data source", err, got.URL, source.URL)
		did("delete a data source", drop(source.ID), nil, nil)
	}
	fmt.Printf("used: %d calls\n", calls)
}
