package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// numbers is the start of a statement that inserts for each i from 1 to $1.
const numbers = "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS BIGINT)) "

// seed adds n playlists, n tokens, at most 20,000, of four accounts, and n/25 dashboards of
// 200 KB.
func seed(ctx context.Context, s *store.Store, n int) error {
	var first int64
	for i := range 4 {
		account, err := s.CreateServiceAccount(ctx, as(host.RoleAdmin), host.ServiceAccount{Name: fmt.Sprint("seed ", i), Role: host.RoleViewer})
		if err != nil {
			return err
		}
		first = account.ID - int64(i)
	}
	dashboards := max(n/25, 20)
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{`INSERT INTO playlists (org_id, uid, name, name_folded, rotation)
			SELECT 1, 'p' || CAST(i AS TEXT), 'Playlist ' || CAST(i AS TEXT), '` + host.Fold("playlist ") + `' || CAST(i AS TEXT), '5m' FROM n`, []any{n}},
		{`INSERT INTO tokens (org_id, account_id, name, digest, created_at)
			SELECT 1, $2 + i % 4, 't' || CAST(i AS TEXT), 'd' || CAST(i AS TEXT), 0 FROM n`, []any{min(n, 20_000), first}},
		{`INSERT INTO dashboards (org_id, uid, title, title_folded)
			SELECT 1, 'd' || CAST(i AS TEXT), 'Dashboard ' || CAST(i AS TEXT), '` + host.Fold("dashboard ") + `' || CAST(i AS TEXT) FROM n`, []any{dashboards}},
		{`INSERT INTO dashboard_models (dashboard_id, model)
			SELECT d.id, $2 FROM n JOIN dashboards d ON d.org_id = 1 AND d.uid = 'd' || CAST(n.i AS TEXT)`,
			[]any{dashboards, `{"panels":"` + strings.Repeat("x", 200_000) + `"}`}},
		{`INSERT INTO dashboard_tags (tag, dashboard_id)
			SELECT 'tag' || CAST(i % 10 AS TEXT), d.id FROM n JOIN dashboards d ON d.org_id = 1 AND d.uid = 'd' || CAST(n.i AS TEXT)`, []any{dashboards}},
	} {
		if err := s.Exec(ctx, numbers+step.statement, step.args...); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	if onPostgres() {
		return s.Exec(ctx, "VACUUM ANALYZE")
	}
	return nil
}

// BenchmarkGrowth measures the operations on few and on many rows.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{500, 50_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := b.Context()
			s, err := store.Open(ctx, store.Options{Database: newDatabase(b), Timeout: time.Hour}) // to insert the rows
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if err := seed(ctx, s, n); err != nil {
				b.Fatal(err)
			}
			accounts, _, err := s.ServiceAccounts(ctx, org, store.AccountFilter{})
			if err != nil {
				b.Fatal(err)
			}
			account := accounts[0].ID
			last, dashboards := int64(n/20), int64(max(n/25, 20))
			list := func(text string, page store.Page) func() (int, error) {
				return func() (int, error) {
					found, err := s.Playlists(ctx, org, text, page)
					return len(found), err
				}
			}
			search := func(f store.DashboardFilter) func() (int, error) {
				f.Page.Limit = 20
				return func() (int, error) {
					found, err := s.Dashboards(ctx, org, f)
					return len(found), err
				}
			}
			renames := 0
			for _, op := range []struct {
				name string
				want int
				do   func() (int, error)
			}{
				{"playlist/get", 1, func() (int, error) { _, err := s.Playlist(ctx, org, "p77"); return 1, err }},
				{"playlist/create", 1, func() (int, error) {
					_, err := s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "zz", Interval: "5m"})
					return 1, err
				}},
				{"playlist/list", 20, list("", store.Page{Limit: 20})},
				{"playlist/deep", 20, list("", store.Page{Limit: 20, Number: last})},
				{"playlist/rename-and-deep", 20, func() (int, error) {
					renames++
					if _, err := s.UpdatePlaylist(ctx, org, hostapi.Playlist{UID: "p77", Name: fmt.Sprint("A", renames), Interval: "5m"}); err != nil {
						return 0, err
					}
					found, err := s.Playlists(ctx, org, "", store.Page{Limit: 20, Number: last})
					return len(found), err
				}},
				{"playlist/create-and-deep", 20, func() (int, error) {
					if _, err := s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: "A", Interval: "5m"}); err != nil {
						return 0, err
					}
					found, err := s.Playlists(ctx, org, "", store.Page{Limit: 20, Number: last})
					return len(found), err
				}},
				{"playlist/search", 20, list("LIST", store.Page{Limit: 20})},
				{"playlist/no-match", 0, list("nothing", store.Page{Limit: 20})},
				{"dashboard/get", 1, func() (int, error) { _, err := s.Dashboard(ctx, org, "d7"); return 1, err }},
				{"dashboard/list", 20, search(store.DashboardFilter{})},
				{"dashboard/deep", 20, search(store.DashboardFilter{Page: store.Page{Number: dashboards / 20}})},
				{"dashboard/tag", min(20, int(dashboards)/10), search(store.DashboardFilter{Tags: []string{"tag3"}})},
				{"dashboard/no-match", 0, search(store.DashboardFilter{Text: "nothing"})},
				{"tokens/list", 20, func() (int, error) {
					found, err := s.AccountTokens(ctx, org, account, store.Page{Limit: 20})
					return len(found), err
				}},
				{"tokens/deep", 20, func() (int, error) {
					found, err := s.AccountTokens(ctx, org, account, store.Page{Limit: 20, Number: int64(min(n, 20_000) / 80)})
					return len(found), err
				}},
				{"accounts/list", 4, func() (int, error) {
					found, _, err := s.ServiceAccounts(ctx, org, store.AccountFilter{})
					return len(found), err
				}},
			} {
				b.Run(op.name, func(b *testing.B) {
					best := time.Hour // which a busy machine hardly changes
					for b.Loop() {
						start := time.Now()
						got, err := op.do()
						best = min(best, time.Since(start))
						if err != nil || got != op.want {
							b.Fatalf("%d results, %v, want %d", got, err, op.want)
						}
					}
					b.ReportMetric(float64(best)/float64(time.Microsecond), "best-µs/op")
				})
			}
		})
	}
}
