// This program is the backend of an app that creates playlists of all dashboards with a
// tag. It serves its own HTTP endpoints and calls the API of the host.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/slipway-dev/slipway/sdk"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func main() {
	sdk.Serve(sdk.Apps(newApp).Plugin())
}

// settings are what an administrator enters on the app's configuration page.
type settings struct {
	Interval string `json:"interval"`
}

// app is the app in one organization.
type app struct {
	interval string
	mux      *http.ServeMux
}

func newApp(_ context.Context, _ sdk.App, s settings) (*app, error) {
	a := &app{interval: s.Interval, mux: http.NewServeMux()}
	if a.interval == "" {
		a.interval = "1m"
	}
	a.mux.Handle("GET /playlists", sdk.HandlerFunc(a.list))
	a.mux.Handle("POST /playlists", sdk.HandlerFunc(a.create))
	return a, nil
}

// ServeHTTP serves the app's endpoints.
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// CheckHealth reports whether the app has access to the host.
func (a *app) CheckHealth(ctx context.Context, _ *sdk.CheckHealthRequest) (*sdk.CheckHealthResult, error) {
	host, err := hostapi.FromEnv()
	if err != nil {
		return nil, err
	}
	if _, err := host.Playlists(ctx, hostapi.PlaylistSearch{Limit: 1}); err != nil {
		return nil, err
	}
	return &sdk.CheckHealthResult{Status: sdk.HealthOK, Message: "connected to the host"}, nil
}

// list serves the playlists of the host.
func (a *app) list(w http.ResponseWriter, r *http.Request) error {
	host, err := hostapi.FromEnv()
	if err != nil {
		return err
	}
	list, err := host.Playlists(r.Context(), hostapi.PlaylistSearch{})
	if err != nil {
		return err
	}
	return sdk.WriteJSON(w, list)
}

// create creates a playlist of the dashboards with the tag in the request,
// {"tag": string}, and responds with it.
func (a *app) create(w http.ResponseWriter, r *http.Request) error {
	var request struct {
		Tag string `json:"tag"`
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || request.Tag == "" {
		return sdk.Downstreamf(http.StatusBadRequest, "the body must be a JSON object with the key \"tag\"")
	}
	if user := sdk.ContextOf(r.Context()).User; user == nil || user.Role == "Viewer" {
		return sdk.Errorf(http.StatusForbidden, "only editors can create playlists")
	}
	host, err := hostapi.FromEnv()
	if err != nil {
		return err
	}
	created, err := host.CreatePlaylist(r.Context(), hostapi.Playlist{
		Name: "All " + request.Tag, Interval: a.interval,
		Items: []hostapi.PlaylistItem{{Type: "dashboard_by_tag", Value: request.Tag}},
	})
	if refusal, ok := errors.AsType[*hostapi.Error](err); ok && refusal.Status == http.StatusForbidden {
		// Some hosts decide about playlists by role, and the account of a plugin has none.
		return sdk.Downstreamf(http.StatusForbidden, "this host does not let the service account of the app create playlists: create one on its page "+
			"of playlists, with the tag %q and the interval %s", request.Tag, a.interval)
	}
	if err != nil {
		return err
	}
	return sdk.WriteJSON(w, created)
}
