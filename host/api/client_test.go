package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// TestClient runs the client of the SDK against the host.
func TestClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	ctx := t.Context()
	client := func(authorization string) *hostapi.Client {
		return testkit.Must(hostapi.New(server.URL, strings.TrimPrefix(authorization, "Bearer "), http.DefaultClient))(t)
	}
	h := client(f.editor)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	folder, err := h.CreateFolder(ctx, hostapi.Folder{Title: "Ops"})
	must(err)
	uid, version, err := h.SaveDashboard(ctx, json.RawMessage(`{"title":"Load","tags":["ops"],"panels":[]}`))
	must(err)
	_, _, err = h.SaveDashboard(ctx, json.RawMessage(`{"title":"Load","uid":"`+uid+`"}`))
	if e, ok := errors.AsType[*hostapi.Error](err); !ok || e.Status != 412 || version != 1 {
		t.Errorf("a version that was not seen: %v", err)
	}
	hits, err := h.SearchDashboards(ctx, hostapi.DashboardSearch{Query: "LOA", Tags: []string{"ops"}, Limit: 5, Page: 1})
	must(err)
	model, err := h.Dashboard(ctx, uid)
	must(err)
	if len(hits) != 1 || hits[0].UID != uid || !strings.Contains(string(model), `"panels":[]`) {
		t.Errorf("found %+v, %s", hits, model)
	}
	p, err := h.CreatePlaylist(ctx, hostapi.Playlist{Name: "Lobby", Interval: "5m", Items: []hostapi.PlaylistItem{{Type: "dashboard_by_tag", Value: "ops"}}})
	must(err)
	p, err = h.Playlist(ctx, p.UID)
	must(err)
	p.Name = "Hall"
	p, err = h.UpdatePlaylist(ctx, p)
	must(err)
	shown, err := h.PlaylistDashboards(ctx, p.UID)
	must(err)
	if p.Name != "Hall" || len(p.Items) != 1 || len(shown) != 1 || shown[0].Title != "Load" {
		t.Errorf("playlist %+v shows %+v", p, shown)
	}
	list, err := h.Playlists(ctx, hostapi.PlaylistSearch{Query: "hal", Limit: 1, Page: 1})
	must(err)
	if len(list) != 1 || list[0].UID != p.UID {
		t.Errorf("list %+v", list)
	}
	for _, odd := range []string{"a/b", "%20", "?x=1", "a b"} {
		if _, err := h.Playlist(ctx, odd); !hostapi.IsNotFound(err) {
			t.Errorf("the playlist %q: %v", odd, err)
		}
	}
	for _, none := range []string{"", ".", "..", "../folders", "%2e%2e"} {
		if err := h.DeletePlaylist(ctx, none); err == nil || !strings.Contains(err.Error(), "invalid path segment") {
			t.Errorf("the playlist %q: %v", none, err)
		}
	}
	if err := client(f.viewer).DeletePlaylist(ctx, p.UID); err == nil || hostapi.IsNotFound(err) || !strings.Contains(err.Error(), "Permission denied") {
		t.Errorf("a viewer deletes: %v", err)
	}
	must(h.DeletePlaylist(ctx, p.UID))
	must(h.DeleteDashboard(ctx, uid))
	must(h.DeleteFolder(ctx, folder.UID))
	folders, err := h.Folders(ctx)
	if must(err); len(folders) != 0 {
		t.Errorf("folders after the deletion: %+v", folders)
	}
}
