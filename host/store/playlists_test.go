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
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testdb"
)

func TestPlaylists(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	create := func(name string, items ...host.PlaylistItem) host.Playlist {
		return must(s.CreatePlaylist(ctx, org, host.Playlist{Name: name, Interval: "5m", Items: items}))(t)
	}
	tag := func(value string) host.PlaylistItem {
		return host.PlaylistItem{Type: host.DashboardByTag, Value: value, Title: "t " + value}
	}
	b := create("b 100%", tag("x"), tag("y"))
	for _, name := range []string{"ÄPFEL_1", "a", "b 1000"} {
		create(name)
	}
	names := func(text string, page store.Page) string {
		var out []string
		for _, p := range must(s.Playlists(ctx, org, text, page))(t) {
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

	got := must(s.Playlist(ctx, org, b.UID))(t)
	if diff := cmp.Diff(b.Items, got.Items); diff != "" {
		t.Errorf("items as created and as read (-created +read):\n%s", diff)
	}
	if len(got.Items) != 2 || got.Items[0].ID == 0 {
		t.Fatalf("items: %+v", got.Items)
	}
	want := host.PlaylistItem{ID: got.Items[1].ID, Type: host.DashboardByTag, Value: "y", Order: 2, Title: "t y"}
	if diff := cmp.Diff(want, got.Items[1]); diff != "" {
		t.Errorf("second item (-want +got):\n%s", diff)
	}
	b.Name, b.Items = "renamed", []host.PlaylistItem{tag("z")}
	updated := must(s.UpdatePlaylist(ctx, org, b))(t)
	got = must(s.Playlist(ctx, org, b.UID))(t)
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
		return must(s.SaveDashboard(ctx, org, host.Dashboard{Title: title, Tags: tags}, store.Save{}))(t)
	}
	one, two, three := save("One", "ops", "ops"), save("Two", "ops", "dev"), save("Three")
	p := must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "p", Interval: "5m", Items: []host.PlaylistItem{
		{Type: host.DashboardByID, Value: fmt.Sprint(three.ID)},
		{Type: host.DashboardByTag, Value: "ops"},
		{Type: host.DashboardByID, Value: "999"},
		{Type: host.DashboardByTag, Value: fmt.Sprint(three.ID)},
		{Type: host.DashboardByID, Value: fmt.Sprint(one.ID)},
		{Type: host.DashboardByUID, Value: two.UID},
		{Type: host.DashboardByUID, Value: "nope"},
	}}))(t)
	entry := func(d host.Dashboard, title string, order int) host.PlaylistDashboard {
		return host.PlaylistDashboard{ID: d.ID, UID: d.UID, Title: title, Order: order}
	}
	want := []host.PlaylistDashboard{entry(three, "Three", 1), entry(one, "One", 2), entry(two, "Two", 2), entry(one, "One", 5), entry(two, "Two", 6)}
	if got := must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{}))(t); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	two.Title, two.Tags = "Too", nil
	if again := must(s.SaveDashboard(ctx, org, two, store.Save{}))(t); again.ID != two.ID {
		t.Errorf("ids after a second save: %+v", again)
	}
	if _, err := s.DeleteDashboard(ctx, org, three.UID); err != nil {
		t.Error(err)
	}
	want = []host.PlaylistDashboard{entry(one, "One", 2), entry(one, "One", 5), entry(two, "Too", 6)}
	if got := must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{}))(t); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	empty := must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "e", Interval: "5m"}))(t)
	if got := must(s.PlaylistDashboards(ctx, org, empty.UID, store.Page{}))(t); got == nil || len(got) != 0 {
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
				p, err := s.CreatePlaylist(ctx, org, host.Playlist{Name: "p", Interval: "5m",
					Items: []host.PlaylistItem{{Type: host.DashboardByTag, Value: "x"}}})
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
	if _, err := s.CreatePlaylist(gone, org, host.Playlist{Name: "late", Interval: "5m"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled write: %v", err)
	}
	if all := must(s.Playlists(ctx, org, "", store.Page{}))(t); len(all) != 160 {
		t.Errorf("%d playlists", len(all))
	}
}

// TestManyPlaylistDashboards has a playlist that was stored before items were limited and
// refers to six million dashboards.
func TestManyPlaylistDashboards(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	const dashboards, items = 300, 20_000
	for n := range dashboards {
		must(s.SaveDashboard(ctx, org, host.Dashboard{Title: fmt.Sprintf("%03d", n), Tags: []string{"ops"}}, store.Save{}))(t)
	}
	p := must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "p", Interval: "5m"}))(t)
	if err := s.AddItems(ctx, p.UID, host.DashboardByTag, "ops", items); err != nil {
		t.Fatal(err)
	}
	if got := must(s.Playlist(ctx, org, p.UID))(t); len(got.Items) != items {
		t.Errorf("%d items, want all %d", len(got.Items), items)
	}
	for _, c := range []struct {
		page          store.Page
		length, order int // order of the first
	}{
		{store.Page{}, gate.DefaultPageLength, 1},
		{store.Page{Limit: 1 << 40}, gate.MaxPageLength, 1},
		{store.Page{Limit: 300, Number: 5}, 300, 5},
		{store.Page{Limit: 7, Number: 43}, 7, 1},
		{store.Page{Limit: gate.MaxPageLength, Number: dashboards * items / gate.MaxPageLength}, gate.MaxPageLength, items - gate.MaxPageLength/dashboards},
	} {
		got := must(s.PlaylistDashboards(ctx, org, p.UID, c.page))(t)
		if len(got) != c.length || got[0].Order != c.order {
			t.Errorf("%+v: %d dashboards, the first of item %d; want %d of %d", c.page, len(got), got[0].Order, c.length, c.order)
		}
	}
	// The seventh dashboard of this page is the first of the second item.
	got := must(s.PlaylistDashboards(ctx, org, p.UID, store.Page{Limit: 7, Number: 43}))(t)
	if got[5].Title != "299" || got[5].Order != 1 || got[6].Title != "000" || got[6].Order != 2 {
		t.Errorf("across two items: %+v", got)
	}
	for _, beyond := range []store.Page{{Limit: 5000, Number: 1201}, {Limit: 1 << 62, Number: 1 << 62}} {
		if got := must(s.PlaylistDashboards(ctx, org, p.UID, beyond))(t); len(got) != 0 {
			t.Errorf("%+v: %d dashboards", beyond, len(got))
		}
	}
	// It can be corrected, but not saved as it is.
	old := must(s.Playlist(ctx, org, p.UID))(t)
	old.Items = old.Items[:gate.MaxPlaylistItems+1]
	if _, err := s.UpdatePlaylist(ctx, org, old); !errors.Is(err, host.ErrInvalid) {
		t.Errorf("update with one item too many: %v", err)
	}
	old.Items = old.Items[:gate.MaxPlaylistItems]
	must(s.UpdatePlaylist(ctx, org, old))(t)
	if got := must(s.Playlist(ctx, org, p.UID))(t); len(got.Items) != gate.MaxPlaylistItems {
		t.Errorf("%d items after the correction", len(got.Items))
	}
}

// Pages are exact at every offset, even after changes before them.
func TestDeepPages(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	if err := seed(ctx, s, 9000); err != nil {
		t.Fatal(err)
	}
	var want []string
	for n := range 9000 {
		want = append(want, fmt.Sprint("Playlist ", n+1))
	}
	slices.Sort(want)
	check := func(after string) {
		t.Helper()
		for _, page := range []store.Page{{Limit: 700, Number: 12}, {Limit: 4000, Number: 2}, {Limit: 3999, Number: 3}, {Limit: 20, Number: 1}, {Limit: 20, Number: 450}, {Limit: 5000}, {Limit: 500, Number: 18}, {Limit: 500, Number: 19}} {
			got := []string{}
			for _, p := range must(s.Playlists(ctx, org, "", page))(t) {
				got = append(got, p.Name)
			}
			if diff := cmp.Diff(store.Cut(want, page), got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, %+v (-want +got):\n%s", after, page, diff)
			}
		}
	}
	check("at first")
	first := must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "A", Interval: "5m"}))(t)
	want = slices.Insert(want, 0, "A")
	check("after a creation")
	first.Name = "Z"
	must(s.UpdatePlaylist(ctx, org, first))(t)
	want = append(want[1:], "Z")
	check("after a new name")
	name := "Playlist 5000"
	for _, next := range []string{"Playlist", name} { // before a mark, and back
		must(s.UpdatePlaylist(ctx, org, host.Playlist{UID: "p5000", Name: next, Interval: "5m"}))(t)
		want[slices.Index(want, name)] = next
		slices.Sort(want)
		name = next
		check("after the new name " + next)
	}
	first.Interval = "1h"
	must(s.UpdatePlaylist(ctx, org, first))(t)
	check("after another interval")
	if got := must(s.Playlist(ctx, org, first.UID))(t); got.Interval != "1h" || got.Name != "Z" {
		t.Errorf("updated: %+v", got)
	}
	for _, n := range []string{"1", "5000", "9000"} { // first, in the middle, almost last
		if err := s.DeletePlaylist(ctx, org, "p"+n); err != nil {
			t.Fatal(err)
		}
		want = slices.DeleteFunc(want, func(name string) bool { return name == "Playlist "+n })
		check("after the deletion of " + n)
	}
	must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "Playlist 5", Interval: "5m"}))(t)
	want = append(want, "Playlist 5")
	slices.Sort(want)
	check("after a creation in the middle")
}

// Ranges of playlists are divided as they grow and dropped when they are empty, and their
// numbers stay right whatever happens at the same time, on several hosts too.
func TestRangesOfPlaylists(t *testing.T) {
	t.Parallel()
	database, ctx := testdb.New(t), t.Context()
	hosts := []*store.Store{open(t, store.Options{Database: database}), open(t, store.Options{Database: database})}
	if err := seed(ctx, hosts[0], 999); err != nil {
		t.Fatal(err)
	}
	ranges := func() int { return len(must(hosts[0].Ranges(ctx))(t)) }
	if got := ranges(); got != 2 {
		t.Errorf("%d ranges of 999 playlists, want 2", got)
	}
	var uids sync.Map
	atOnce(t, 8, func(n int) error {
		for i := range 100 {
			p, err := hosts[n%2].CreatePlaylist(ctx, org, host.Playlist{Name: fmt.Sprint("Playlist 9", i, n), Interval: "5m"})
			if err != nil {
				return err
			}
			uids.Store(p.UID, true)
		}
		return nil
	})
	if got := ranges(); got != 3 {
		t.Errorf("%d ranges after a range of 499 playlists grew by 800, want 3", got)
	}
	atOnce(t, 8, func(n int) error {
		for i := n + 1; i <= 999; i += 8 {
			uid := fmt.Sprint("p", i)
			if i%3 == 0 {
				if _, err := hosts[n%2].UpdatePlaylist(ctx, org, host.Playlist{UID: uid, Name: fmt.Sprint("A", i), Interval: "5m"}); err != nil {
					return err
				}
			}
			if i%5 == 0 {
				if err := hosts[n%2].DeletePlaylist(ctx, org, uid); err != nil {
					return err
				}
			}
		}
		return nil
	})
	ranges()
	uids.Range(func(uid, _ any) bool {
		if err := hosts[0].DeletePlaylist(ctx, org, uid.(string)); err != nil {
			t.Error(err)
		}
		return true
	})
	for i := range 999 {
		_ = hosts[1].DeletePlaylist(ctx, org, fmt.Sprint("p", i+1)) // or it is deleted already
	}
	if got := ranges(); got != 1 {
		t.Errorf("%d ranges without playlists, want 1", got)
	}
}

// The playlists of an older database are divided into ranges.
func TestMigrateRanges(t *testing.T) {
	t.Parallel()
	ctx, database := t.Context(), testdb.New(t)
	files := []string{"0001_initial.sql", "0002_keys_and_dashboards.sql", "0003_data_sources.sql", "0004_service_admin.sql", "0005_accounts.sql",
		"0006_data.sql", "0007_bounds.sql", "0008_sessions.sql", "0009_folders.sql", "0010_token_counts.sql"}
	if err := store.CreateOld(ctx, database, files, `INSERT INTO playlists (org_id, uid, name, name_folded, rotation)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
		SELECT 1, 'u' || CAST(i AS TEXT), 'n' || CAST(i % 7 AS TEXT), '', '5m' FROM n`); err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Options{Database: database})
	if diff := cmp.Diff([]int64{500, 500, 234}, must(s.Ranges(ctx))(t)); diff != "" {
		t.Errorf("playlists in the ranges (-want +got):\n%s", diff)
	}
	if page := must(s.Playlists(ctx, org, "", store.Page{Limit: 2, Number: 617}))(t); len(page) != 2 || page[1].UID != "u993" {
		t.Errorf("last page: %+v", page)
	}
}
