// Calls every operation of Grafana's OpenAPI client, and then uses it as the Terraform provider does. Arguments: the URL
// of a host and a token. Prints a line for each answer that is neither a result nor a refusal with a reason, and a sum.
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"strings"

	goapi "github.com/grafana/grafana-openapi-client-go/client"
	"github.com/grafana/grafana-openapi-client-go/client/search"
	"github.com/grafana/grafana-openapi-client-go/client/service_accounts"
	"github.com/grafana/grafana-openapi-client-go/models"
)

var last struct {
	method, path, body string
	status             int
}

func main() {
	host, _ := url.Parse(os.Args[1])
	proxy := httputil.NewSingleHostReverseProxy(host)
	proxy.ModifyResponse = func(r *http.Response) error {
		data, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(data))
		last.method, last.path, last.status, last.body = r.Request.Method, r.Request.URL.Path, r.StatusCode, strings.TrimSpace(string(data))
		return err
	}
	s := httptest.NewServer(proxy)
	defer s.Close()
	at, _ := url.Parse(s.URL)
	api := goapi.NewHTTPClientWithConfig(nil, &goapi.TransportConfig{Host: at.Host, BasePath: "/api", Schemes: []string{"http"}, APIKey: os.Args[2]})
	use(api)
	every(api)
}

// use creates, reads, changes and deletes what plugins' tools care about.
func use(api *goapi.GrafanaHTTPAPI) {
	n := 0
	must := func(name string, err error) {
		if err != nil {
			fmt.Printf("%s: %v: %d %s\n", name, err, last.status, last.body)
			os.Exit(1)
		}
		n++
	}
	list, err := api.Playlists.CreatePlaylist(&models.CreatePlaylistCommand{Name: "Terraform", Interval: "5m", Items: []*models.PlaylistItem{{Type: "dashboard_by_tag", Value: "a", Title: "A"}}})
	must("create a playlist", err)
	uid := list.Payload.UID
	_, err = api.Playlists.UpdatePlaylist(uid, &models.UpdatePlaylistCommand{Name: "Changed", Interval: "6m", Items: []*models.PlaylistItem{{Type: "dashboard_by_uid", Value: "b", Title: "B"}}})
	must("update a playlist", err)
	got, err := api.Playlists.GetPlaylist(uid)
	must("get a playlist", err)
	if got.Payload.Name != "Changed" || got.Payload.Interval != "6m" {
		must("get a playlist", fmt.Errorf("%+v", got.Payload))
	}
	items, err := api.Playlists.GetPlaylistItems(uid)
	must("get items", err)
	if len(items.Payload) != 1 || items.Payload[0].Value != "b" {
		must("get items", fmt.Errorf("%+v", items.Payload))
	}
	_, err = api.Playlists.DeletePlaylist(uid)
	must("delete a playlist", err)
	account, err := api.ServiceAccounts.CreateServiceAccount(service_accounts.NewCreateServiceAccountParams().WithBody(&models.CreateServiceAccountForm{Name: "tf", Role: "Viewer"}))
	must("create a service account", err)
	id := account.Payload.ID
	_, err = api.ServiceAccounts.UpdateServiceAccount(service_accounts.NewUpdateServiceAccountParams().WithServiceAccountID(id).WithBody(&models.UpdateServiceAccountForm{Name: "tf2", Role: "Editor"}))
	must("update a service account", err)
	token, err := api.ServiceAccounts.CreateToken(service_accounts.NewCreateTokenParams().WithServiceAccountID(id).WithBody(&models.AddServiceAccountTokenCommand{Name: "key", SecondsToLive: 3600}))
	must("create a token", err)
	tokens, err := api.ServiceAccounts.ListTokens(id)
	must("list tokens", err)
	if len(tokens.Payload) != 1 || tokens.Payload[0].ID != token.Payload.ID || token.Payload.Key == "" {
		must("list tokens", fmt.Errorf("%+v", tokens.Payload))
	}
	_, err = api.ServiceAccounts.DeleteToken(token.Payload.ID, id)
	must("delete a token", err)
	found, err := api.ServiceAccounts.SearchOrgServiceAccountsWithPaging(service_accounts.NewSearchOrgServiceAccountsWithPagingParams())
	must("search service accounts", err)
	if found.Payload.TotalCount == 0 {
		must("search service accounts", fmt.Errorf("%+v", found.Payload))
	}
	_, err = api.ServiceAccounts.DeleteServiceAccount(id)
	must("delete a service account", err)
	_, err = api.Folders.CreateFolder(&models.CreateFolderCommand{Title: "Folder", UID: "folder"})
	must("create a folder", err)
	folder := "dash-folder"
	hits, err := api.Search.Search(search.NewSearchParams().WithType(&folder))
	must("search folders", err)
	if len(hits.Payload) != 1 || hits.Payload[0].UID != "folder" {
		must("search folders", fmt.Errorf("%+v", hits.Payload))
	}
	_, err = api.Dashboards.PostDashboard(&models.SaveDashboardCommand{FolderUID: "folder", Dashboard: map[string]any{"uid": "board", "title": "Board", "panels": []any{}}})
	must("save a dashboard", err)
	board, err := api.Dashboards.GetDashboardByUID("board")
	must("get a dashboard", err)
	if board.Payload.Meta.FolderUID != "folder" {
		must("get a dashboard", fmt.Errorf("%+v", board.Payload.Meta))
	}
	_, err = api.Dashboards.DeleteDashboardByUID("board")
	must("delete a dashboard", err)
	for name, drop := range map[string]func(id int64) error{
		"uid":  func(int64) error { _, err := api.Datasources.DeleteDataSourceByUID("tf"); return err },
		"name": func(int64) error { _, err := api.Datasources.DeleteDataSourceByName("TF"); return err },
		"id":   func(id int64) error { _, err := api.Datasources.DeleteDataSourceByID(fmt.Sprint(id)); return err },
	} {
		source, err := api.Datasources.AddDataSource(&models.AddDataSourceCommand{Name: "TF", UID: "tf", Type: "acme-x", Access: "proxy", JSONData: map[string]any{"a": 1}})
		must("add a data source", err)
		_, err = api.Datasources.UpdateDataSourceByUID("tf", &models.UpdateDataSourceCommand{Name: "TF", UID: "tf", Type: "acme-x", Access: "proxy", URL: "http://127.0.0.1:1"})
		must("update a data source", err)
		read, err := api.Datasources.GetDataSourceByName("TF")
		must("get a data source", err)
		if read.Payload.URL != "http://127.0.0.1:1" {
			must("get a data source", fmt.Errorf("%+v", read.Payload))
		}
		must("delete a data source by "+name, drop(*source.Payload.ID))
	}
	fmt.Printf("used: %d calls\n", n)
}

// every calls each operation once, with names that do not exist and empty bodies.
func every(api *goapi.GrafanaHTTPAPI) {
	count := map[string]int{}
	services := reflect.ValueOf(api).Elem()
	for i := range services.NumField() {
		service := services.Field(i)
		if service.Kind() != reflect.Interface || service.IsNil() || services.Type().Field(i).Name == "Transport" {
			continue
		}
		for m := range service.Elem().NumMethod() {
			name := service.Elem().Type().Method(m).Name
			call := service.Elem().Method(m)
			if call.Type().NumIn() == 0 || call.Type().In(0).Kind() != reflect.Pointer || !strings.HasSuffix(call.Type().In(0).Elem().Name(), "Params") {
				continue
			}
			params := reflect.New(call.Type().In(0).Elem())
			fill(params.Elem())
			last.status = 0
			results := call.Call([]reflect.Value{params})
			err, _ := results[len(results)-1].Interface().(error)
			switch verdict := judge(err); verdict {
			case "answered", "refused", "not sent":
				count[verdict]++
			default:
				count["others"]++
				fmt.Printf("%s: %s: %v: %s %s %d %s\n", verdict, name, err, last.method, last.path, last.status, last.body)
			}
		}
	}
	fmt.Printf("every: %d answered, %d refused with a reason, %d not sent, %d others\n", count["answered"], count["refused"], count["not sent"], count["others"])
}

func judge(err error) string {
	switch {
	case last.status == 0:
		return "not sent" // the client itself refuses the parameters
	case last.status < 300 && err == nil:
		return "answered"
	case last.status < 300:
		return "not read"
	case last.status >= 500 || strings.Contains(last.body, "Path not found"):
		return "no reason"
	case !strings.Contains(last.body, `"message":"`):
		return "no message"
	}
	return "refused"
}

// fill sets the parameters of a call: names and numbers of nothing, and empty bodies.
func fill(params reflect.Value) {
	for i := range params.NumField() {
		f := params.Field(i)
		if !f.CanSet() || params.Type().Field(i).Name == "Context" || params.Type().Field(i).Name == "HTTPClient" {
			continue
		}
		switch f.Kind() {
		case reflect.String:
			f.SetString("987654")
		case reflect.Int64:
			f.SetInt(987654)
		case reflect.Pointer:
			if params.Type().Field(i).Name == "Body" {
				f.Set(reflect.New(f.Type().Elem()))
			}
		case reflect.Interface:
			if params.Type().Field(i).Name == "Body" {
				f.Set(reflect.ValueOf(map[string]any{}))
			}
		}
	}
}
