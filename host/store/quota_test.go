package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// numbers is the start of a statement that inserts for each i from 1 to $1.
const numbers = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS BIGINT)) "

// TestQuota fills an organization with all but one of what it may have.
func TestQuota(t *testing.T) {
	t.Parallel()
	s, ctx, root := open(t, store.Options{}), t.Context(), as(host.RoleAdmin)
	for _, c := range []struct {
		what            string
		most            int
		columns, values string // in SQL; i counts from 1
		create          func(name string) error
	}{
		{"folders", gate.MaxFolders, "folders (org_id, uid, title)", "$2, 'u' || i, 't' || i", func(name string) error {
			_, err := s.CreateFolder(ctx, org, host.Folder{Title: name})
			return err
		}},
		{"playlists", gate.MaxPlaylists, "playlists (org_id, uid, name, name_folded, rotation)", "$2, 'u' || i, 'n' || i, 'n' || i, '5m'", func(name string) error {
			_, err := s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: name, Interval: "5m"})
			return err
		}},
		{"dashboards", gate.MaxDashboards, "dashboards (org_id, uid, title)", "$2, 'u' || i, 't' || i", func(name string) error {
			_, err := s.SaveDashboard(ctx, org, host.Dashboard{Title: name}, store.Save{})
			return err
		}},
		{"data sources", gate.MaxDataSources,
			"data_sources (org_id, uid, name, type, url, login, database_name, basic_auth, basic_auth_user, is_default, settings, updated_at)",
			"$2, 'u' || i, 'n' || i, 't', '', '', '', FALSE, '', FALSE, '{}', 0", func(name string) error {
				_, err := s.CreateDataSource(ctx, root, host.DataSource{Name: name, Type: "acme-datasource"})
				return err
			}},
		{"service accounts", gate.MaxServiceAccounts, "service_accounts (org_id, name, name_folded, login, role)",
			"$2, 'n' || i, 'n' || i, 'l' || i, 'Viewer'", func(name string) error {
				_, err := s.CreateServiceAccount(ctx, root, host.ServiceAccount{Name: name, Role: host.RoleViewer})
				return err
			}},
	} {
		query := numbers + "INSERT INTO " + c.columns + " SELECT " + c.values + " FROM n"
		if err := s.Exec(ctx, query, c.most-1, org); err != nil {
			t.Fatal(c.what, err)
		}
		if err := c.create("last"); err != nil {
			t.Errorf("the last of the %s: %v", c.what, err)
		}
		want := fmt.Sprintf("the maximum is %d %s; delete what is not in use", c.most, c.what)
		if err := c.create("more"); !errors.Is(err, host.ErrThrottled) || err.Error() != want {
			t.Errorf("one more of the %s: %v", c.what, err)
		}
	}
	if all := testkit.Must(s.Folders(ctx, org, nil, store.Page{Limit: gate.MaxFolders}))(t); len(all) != gate.MaxPageLength {
		t.Errorf("a page has %d folders, want %d", len(all), gate.MaxPageLength)
	}
	testkit.Must(s.DeleteFolder(ctx, org, "u1", 0, nil))(t)
	if _, err := s.CreateFolder(ctx, org, host.Folder{Title: "again"}); err != nil {
		t.Errorf("a folder in place of a deleted one: %v", err)
	}
}
