package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
)

func TestDashboards(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	testkit.Must(s.CreateFolder(ctx, org, host.Folder{UID: "f", Title: "F"}))(t)
	testkit.Must(s.RenameFolder(ctx, org, host.Folder{UID: "f", Title: "G"}))(t)
	first := testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "a", Title: "Änderung", Tags: []string{"x", "y"}, FolderUID: "f",
		Model: json.RawMessage(`{"panels":[1]}`)}, store.Save{}))(t)
	testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "b", Title: "Load", Tags: []string{"x"}}, store.Save{}))(t)
	for _, c := range []struct {
		filter store.DashboardFilter
		want   []string
	}{
		{store.DashboardFilter{}, []string{"b", "a"}},
		{store.DashboardFilter{Text: "äNDER"}, []string{"a"}},
		{store.DashboardFilter{Text: "%"}, nil},
		{store.DashboardFilter{FolderUIDs: []string{"f"}}, []string{"a"}},
		{store.DashboardFilter{FolderUIDs: []string{"none", "f"}}, []string{"a"}},
		{store.DashboardFilter{FolderUIDs: []string{"none"}}, nil},
		{store.DashboardFilter{FolderUIDs: []string{"x,f,y"}}, nil},
		{store.DashboardFilter{FolderUIDs: []string{"1", "2", "3", "4", "f"}}, []string{"a"}},
		{store.DashboardFilter{FolderUIDs: []string{"general"}}, []string{"b"}},
		{store.DashboardFilter{FolderUIDs: []string{"general", "f"}}, []string{"b", "a"}},
		{store.DashboardFilter{Tags: []string{"x"}}, []string{"b", "a"}},
		{store.DashboardFilter{Tags: []string{"x", "y"}, Text: "ä", FolderUIDs: []string{"f"}}, []string{"a"}},
		{store.DashboardFilter{Page: store.Page{Limit: 1, Number: 2}}, []string{"a"}},
		{store.DashboardFilter{UIDs: []string{"a", "z"}}, []string{"a"}},
		{store.DashboardFilter{IDs: []string{"x", fmt.Sprint(first.ID)}}, []string{"a"}},
		{store.DashboardFilter{FolderIDs: []string{"0"}}, []string{"b"}},
		{store.DashboardFilter{FolderIDs: []string{"0", fmt.Sprint(first.FolderID)}}, []string{"b", "a"}},
		{store.DashboardFilter{Only: &store.Only{}}, nil},
		{store.DashboardFilter{Only: &store.Only{UIDs: []string{"b", "A"}}}, []string{"b"}},
		{store.DashboardFilter{Only: &store.Only{FolderUIDs: []string{"f"}}}, []string{"a"}},
		{store.DashboardFilter{Only: &store.Only{UIDs: []string{"x,,b,,y"}}}, nil},
		{store.DashboardFilter{Only: &store.Only{FolderUIDs: []string{"x", "general"}}}, []string{"b"}},
		{store.DashboardFilter{Only: &store.Only{UIDs: []string{"b"}, FolderUIDs: []string{"f"}}, Text: "load"}, []string{"b"}},
	} {
		var got []string
		for _, d := range testkit.Must(s.Dashboards(ctx, org, c.filter))(t) {
			got = append(got, d.UID)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("search for %+v: %q, want %q", c.filter, got, c.want)
		}
	}
	if d := testkit.Must(s.Dashboard(ctx, org, "a"))(t); string(d.Model) != `{"panels":[1]}` || fmt.Sprint(d.Tags) != "[x y]" || d.FolderTitle != "G" {
		t.Errorf("stored dashboard: %+v", d)
	}
	again := testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{ID: first.ID, Title: "New", Version: 1, Model: json.RawMessage(`{"panels":[2]}`)}, store.Save{KeepFolder: true}))(t)
	if d := testkit.Must(s.Dashboard(ctx, org, "a"))(t); again.Version != 2 || string(d.Model) != `{"panels":[2]}` || d.FolderUID != "f" {
		t.Errorf("replaced dashboard: %+v", d)
	}
	testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "i", Title: "I", PluginID: "acme-app"}, store.Save{}))(t)
	if found := testkit.Must(s.DashboardsOfPlugin(ctx, org, "acme-app"))(t); len(found) != 1 || found[0].UID != "i" || found[0].Created.IsZero() {
		t.Errorf("dashboards of the plugin: %+v", found)
	}
	if in, out := testkit.Must(s.DashboardFolder(ctx, org, "a"))(t), testkit.Must(s.DashboardFolder(ctx, org, "b"))(t); in != "f" || out != "" {
		t.Errorf("folders %q and %q", in, out)
	}
	denied := errors.New("denied")
	for uid, isStored := range map[string]bool{"a": true, "new": false} {
		_, err := s.SaveDashboard(ctx, org, host.Dashboard{UID: uid, Title: "New", Version: 2}, store.Save{KeepFolder: true,
			May: func(stored *host.Dashboard, d host.Dashboard) error {
				if (stored != nil) != isStored || isStored && (stored.FolderUID != "f" || d.FolderUID != "f") {
					t.Errorf("%s: stored %+v, new %+v", uid, stored, d)
				}
				return denied
			}})
		if !errors.Is(err, denied) {
			t.Errorf("save without a permission: %v", err)
		}
	}
	testkit.Must(s.DeleteDashboard(ctx, org, "i"))(t)
	testkit.Must(s.DeleteFolder(ctx, org, "f", 0, nil))(t)
	if _, err := s.Dashboard(ctx, org, "a"); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("dashboard of a deleted folder: %v", err)
	}
}

// A list contains the tags of each dashboard.
func TestTagsInLists(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	tags := []string{}
	for n := range gate.MaxTags {
		tags = append(tags, fmt.Sprintf("%02d, 'x'", n))
	}
	title := strings.Repeat("t", host.MaxNameLength)
	testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "a", Title: title, Tags: tags}, store.Save{}))(t)
	testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "b", Title: title}, store.Save{}))(t)
	found := testkit.Must(s.Dashboards(ctx, org, store.DashboardFilter{}))(t)
	if len(found) != 2 || !slices.Equal(found[0].Tags, tags) || found[1].Tags == nil || len(found[1].Tags) != 0 {
		t.Errorf("dashboards: %+v", found)
	}
}

// A folder counts its changes, and a change of a version that the caller has not seen is
// refused.
func TestFolderVersions(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	f := testkit.Must(s.CreateFolder(ctx, org, host.Folder{UID: "f", Title: "F", CreatedBy: "ann"}))(t)
	testkit.Must(s.CreateFolder(ctx, org, host.Folder{UID: "g", Title: "G"}))(t)
	if f.Version != 1 || f.Created.IsZero() || f.CreatedBy != "ann" || f.UpdatedBy != "ann" {
		t.Errorf("new folder %+v", f)
	}
	f = testkit.Must(s.RenameFolder(ctx, org, host.Folder{UID: "f", Title: "F2", Version: 1, UpdatedBy: "bob"}))(t)
	if f.Version != 2 || f.CreatedBy != "ann" || f.UpdatedBy != "bob" {
		t.Errorf("renamed folder %+v", f)
	}
	if _, err := s.RenameFolder(ctx, org, host.Folder{UID: "f", Title: "F3", Version: 1}); !errors.Is(err, host.ErrStale) {
		t.Errorf("rename of an old version: %v", err)
	}
	if _, err := s.DeleteFolder(ctx, org, "f", 1, nil); !errors.Is(err, host.ErrStale) {
		t.Errorf("deletion of an old version: %v", err)
	}
	if _, err := s.RenameFolder(ctx, org, host.Folder{UID: "none", Title: "x", Version: 1}); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("rename of an unknown folder: %v", err)
	}
	if got := testkit.Must(s.FolderByID(ctx, org, f.ID))(t); got.UID != "f" {
		t.Errorf("folder by id %+v", got)
	}
	if got := testkit.Must(s.FolderByTitle(ctx, org, "F2"))(t); got.UID != "f" {
		t.Errorf("folder by title %+v", got)
	}
	if _, err := s.FolderByTitle(ctx, org, "f2"); !errors.Is(err, host.ErrNotFound) {
		t.Errorf("a title in another case: %v", err)
	}
	if got := testkit.Must(s.Folders(ctx, org, &[]string{"f", "none"}, store.Page{}))(t); len(got) != 1 || got[0].UID != "f" {
		t.Errorf("folders with a uid: %+v", got)
	}
	testkit.Must(s.SaveDashboard(ctx, org, host.Dashboard{UID: "kept", Title: "Kept", FolderUID: "f"}, store.Save{}))(t)
	errKept := errors.New("kept")
	if _, err := s.DeleteFolder(ctx, org, "f", 2, func(uid string) error {
		if uid != "kept" {
			t.Errorf("check of %q", uid)
		}
		return errKept
	}); !errors.Is(err, errKept) {
		t.Errorf("deletion of a folder with a dashboard that stays: %v", err)
	}
	testkit.Must(s.Dashboard(ctx, org, "kept"))(t)
	testkit.Must(s.DeleteFolder(ctx, org, "f", 2, nil))(t)
}

// TestMigrateSimilarKeys migrates keys whose accounts have names or logins that differ only in
// a number.
func TestMigrateSimilarKeys(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	for _, name := range []string{"xa", "xA", "XA", "y y", "y.y"} {
		if _, _, err := s.CreateAPIKey(ctx, root, host.APIKey{Name: name, Role: host.RoleViewer}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if migrated, failures, err := s.MigrateAPIKeys(ctx, root); migrated != 5 || len(failures) > 0 || err != nil {
		t.Errorf("%d of 5 keys were migrated: %v, %v", migrated, failures, err)
	}
	accounts, _, err := s.ServiceAccounts(ctx, org, store.AccountFilter{})
	var logins []string
	for _, a := range accounts {
		logins = append(logins, a.Login)
	}
	slices.Sort(logins)
	if want := []string{"sa-xa", "sa-xa-2", "sa-xa-3", "sa-y-y", "sa-y-y-2"}; err != nil || !slices.Equal(logins, want) {
		t.Errorf("logins %v, %v; want %v", logins, err, want)
	}
}
