package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func TestPlaylists(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	create := func(name string, items ...hostapi.PlaylistItem) hostapi.Playlist {
		return testkit.Must(s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: name, Interval: "5m", Items: items}))(t)
	}
	tag := func(value string) hostapi.PlaylistItem {
		return hostapi.PlaylistItem{Type: host.DashboardByTag, Value: value, Title: "t " + value}
	}
	b := create("b 100%", tag("x"), tag("y"))
	for _, name := range []string{"ÄPFEL_1", "a", "b 1000"} {
		create(name)
	}
	names := func(text string, page store.Page) string {
		var out []string
		for _, p := range testkit.Must(s.Playlists(ctx, org, text, page))(t) {
			out = append(out, p.Name)
		}
		return strings.Join(out, "|")
	}
	for _, c := range []struct {
		text string
		page store.Page
		want string
	}{
		{"", store.Page{}, "a|b 100%|b 1000|ÄPFEL_1"},
		{"", store.Page{Limit: 2}, "a|b 100%"},
		{"", store.Page{Limit: 2, Number: 2}, "b 1000|ÄPFEL_1"},
		{"", store.Page{Limit: 2, Number: 3}, ""},
		{"", store.Page{Limit: 1 << 62, Number: 1 << 62}, ""},
		{"B 1", store.Page{}, "b 100%|b 1000"},
		{"0%", store.Page{}, "b 100%"},
		{"äpfel", store.Page{}, "ÄPFEL_1"},
		{"l_", store.Page{}, "ÄPFEL_1"},
		{"_", store.Page{}, "ÄPFEL_1"},
		{"100", store.Page{}, "b 100%|b 1000"},
		{"100%", store.Page{}, "b 100%"},
		{"100", store.Page{Limit: 1, Number: 2}, "b 1000"},
		{"PFE", store.Page{}, "ÄPFEL_1"},
		{"b 100x", store.Page{}, ""},
		{"!", store.Page{}, ""},
		{strings.Repeat("x", 1<<20), store.Page{}, ""},
	} {
		if got := names(c.text, c.page); got != c.want {
			t.Errorf("names(%.20q, %+v) = %q, want %q", c.text, c.page, got, c.want)
		}
	}

	got := testkit.Must(s.Playlist(ctx, org, b.UID))(t)
	if diff := cmp.Diff(b.Items, got.Items); diff != "" {
		t.Errorf("items as created and as read (-created +read):\n%s", diff)
	}
	if len(got.Items) != 2 || got.Items[0].ID == 0 {
		t.Fatalf("items: %+v", got.Items)
	}
	want := hostapi.PlaylistItem{ID: got.Items[1].ID, Type: host.DashboardByTag, Value: "y", Order: 2, Title: "t y", PlaylistUID: b.UID}
	if diff := cmp.Diff(want, got.Items[1]); diff != "" {
		t.Errorf("second item (-want +got):\n%s", diff)
	}
	b.Name, b.Items = "renamed", []hostapi.PlaylistItem{tag("z")}
	updated := testkit.Must(s.UpdatePlaylist(ctx, org, b))(t)
	got = testkit.Must(s.Playlist(ctx, org, b.UID))(t)
	if diff := cmp.Diff(updated, got); diff != "" || got.Name != "renamed" || len(got.Items) != 1 {
		t.Errorf("playlist after the update: %+v (-updated +read):\n%s", got, diff)
	}
	if names("RENAMED", store.Page{}) != "renamed" || names("b 100%", store.Page{}) != "" {
		t.Error("a search does not find the new name, or finds the old one")
	}
	const other = org + 1 // organizations cannot see each other
	for what, err := range map[string]error{
		"read":       second(s.Playlist(ctx, other, b.UID)),
		"dashboards": second(s.PlaylistDashboards(ctx, other, b.UID, store.Page{})),
		"update":     second(s.UpdatePlaylist(ctx, other, b)),
		"delete":     s.DeletePlaylist(ctx, other, b.UID),
		"unknown":    second(s.Playlist(ctx, org, "nope")),
	} {
		if !errors.Is(err, host.ErrNotFound) {
			t.Errorf("%s from another organization: %v", what, err)
		}
	}
	if err := s.DeletePlaylist(ctx, org, b.UID); err != nil {
		t.Error(err)
	}
	if err := s.DeletePlaylist(ctx, org, b.UID); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("second deletion: %v", err)
	}
}

func TestPlaylistDashboards(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	save := func(title string, tags ...string) host.Dashboard {
		return testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{Title: title, Tags: tags}, store.Save{}))(t)
	}
	one, two, three := save("One", "ops", "ops"), save("Two", "ops", "dev"), save("Three")
	p := testkit.Must(s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "p", Interval: "5m", Items: []hostapi.PlaylistItem{
		{Type: host.DashboardByID, Value: fmt.Sprint(three.ID)},
		{Type: host.DashboardByTag, Value: "ops"},
		{Type: host.DashboardByID, Value: "999"},
		{Type: host.DashboardByTag, Value: fmt.Sprint(three.ID)},
		{Type: host.DashboardByID, Value: fmt.Sprint(one.ID)},
		{Type: host.DashboardByUID, Value: two.UID},
		{Type: host.DashboardByUID, Value: "nope"},
	}}))(t)
	entry := func(d host.Dashboard, title string, order int) store.PlaylistDashboard {
		return store.PlaylistDashboard{ID: d.ID, UID: d.UID, Title: title, Order: order}
	}
	want := []store.PlaylistDashboard{entry(three, "Three", 1), entry(one, "One", 2), entry(two, "Two", 2), entry(one, "One", 5), entry(two, "Two", 6)}
	if got := testkit.Must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{}))(t); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	two.Title, two.Tags = "Too", nil
	if again := testkit.Must(s.SaveDashboard(ctx, org, two, store.Save{}))(t); again.ID != two.ID {
		t.Errorf("ids after a second save: %+v", again)
	}
	if _, err := s.DeleteDashboard(ctx, org, three.UID); err != nil {
		t.Error(err)
	}
	want = []store.PlaylistDashboard{entry(one, "One", 2), entry(one, "One", 5), entry(two, "Too", 6)}
	if got := testkit.Must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{}))(t); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	empty := testkit.Must(s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "e", Interval: "5m"}))(t)
	if got := testkit.Must(s.PlaylistDashboards(ctx, org, empty.UID, store.Page{}))(t); got == nil || len(got) != 0 {
		t.Errorf("dashboards of an empty playlist: %+v", got)
	}
}

// The next statement reads acknowledged writes, and a canceled write has no effect.
func TestWritesAtOnce(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				p, err := s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "p", Interval: "5m",
					Items: []hostapi.PlaylistItem{{Type: host.DashboardByTag, Value: "x"}}})
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := s.Playlist(ctx, org, p.UID); err != nil || len(got.Items) != 1 {
					t.Errorf("read after write: %+v, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
	gone, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.CreatePlaylist(gone, org, hostapi.Playlist{Name: "late", Interval: "5m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled write: %v", err)
	}
	if all := testkit.Must(s.Playlists(ctx, org, "", store.Page{}))(t); len(all) != 160 {
		t.Errorf("%d playlists", len(all))
	}
}

// Pages of the dashboards of a playlist continue where the previous one ended, across items.
func TestPlaylistDashboardPages(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	const dashboards, items = 30, 100
	for n := range dashboards {
		testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{Title: fmt.Sprintf("%03d", n), Tags: []string{"ops"}}, store.Save{}))(t)
	}
	tagged := slices.Repeat([]hostapi.PlaylistItem{{Type: host.DashboardByTag, Value: "ops"}}, items)
	p := testkit.Must(s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "p", Interval: "5m", Items: tagged}))(t)
	for _, c := range []struct {
		page          store.Page
		length, order int // order of the first
	}{
		{store.Page{}, gate.DefaultPageLength, 1},
		{store.Page{Limit: 1 << 40}, dashboards * items, 1},
		{store.Page{Limit: 300, Number: 5}, 300, 41},
		{store.Page{Limit: 7, Number: 5}, 7, 1},
		{store.Page{Limit: 1000, Number: 4}, 0, 0},
		{store.Page{Limit: 1 << 62, Number: 1 << 62}, 0, 0},
	} {
		got := testkit.Must(s.PlaylistDashboards(ctx, org, p.UID, c.page))(t)
		if len(got) != c.length || c.length > 0 && got[0].Order != c.order {
			t.Errorf("%+v: %d dashboards, want %d from item %d: %+v", c.page, len(got), c.length, c.order, got[:min(len(got), 1)])
		}
	}
	// The third dashboard of this page is the first of the second item.
	got := testkit.Must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{Limit: 7, Number: 5}))(t)
	if got[1].Title != "029" || got[1].Order != 1 || got[2].Title != "000" || got[2].Order != 2 {
		t.Errorf("across two items: %+v", got)
	}
}
