package api_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/api"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// BenchmarkRead measures reads of a list and of one playlist, with authentication, and
// compares them to a baseline: a bare mux and one prepared query on the same file.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "slipway.db")
	s, err := store.Open(b.Context(), store.Options{Database: path})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var uid string
	for n := range 20 {
		p, err := s.CreatePlaylist(b.Context(), org, hostapi.Playlist{Name: fmt.Sprint("playlist ", n), Interval: "5m",
			Items: []hostapi.PlaylistItem{{Type: host.DashboardByTag, Value: "a"}, {Type: host.DashboardByID, Value: "1"}}})
		if err != nil {
			b.Fatal(err)
		}
		uid = p.UID
	}
	root := host.Identity{OrgID: org, Role: host.RoleAdmin}
	account, err := s.CreateServiceAccount(b.Context(), root, host.ServiceAccount{Name: "bench", Role: host.RoleViewer})
	if err != nil {
		b.Fatal(err)
	}
	_, secret, err := s.CreateToken(b.Context(), root, account.ID, "bench", 0)
	if err != nil {
		b.Fatal(err)
	}
	a, err := api.New(api.Options{Store: s, AllowedHosts: []string{"example.com"}})
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	floor := http.NewServeMux()
	type row struct{ UID, Name, Interval string }
	one, err := db.Prepare("SELECT uid, name, rotation FROM playlists WHERE uid = $1 AND org_id = 1")
	if err != nil {
		b.Fatal(err)
	}
	floor.HandleFunc("GET /api/playlists/{uid}", func(w http.ResponseWriter, r *http.Request) {
		var p row
		if err := one.QueryRowContext(r.Context(), r.PathValue("uid")).Scan(&p.UID, &p.Name, &p.Interval); err != nil {
			b.Error(err)
		}
		_ = json.NewEncoder(w).Encode(p)
	})
	all, err := db.Prepare("SELECT uid, name, rotation FROM playlists WHERE org_id = 1 ORDER BY name, uid LIMIT 1000")
	if err != nil {
		b.Fatal(err)
	}
	floor.HandleFunc("GET /api/playlists", func(w http.ResponseWriter, r *http.Request) {
		rows, err := all.QueryContext(r.Context())
		if err != nil {
			b.Error(err)
			return
		}
		defer rows.Close()
		var list []row
		for rows.Next() {
			var p row
			_ = rows.Scan(&p.UID, &p.Name, &p.Interval)
			list = append(list, p)
		}
		_ = json.NewEncoder(w).Encode(list)
	})
	for _, c := range []struct {
		name, target string
		handler      http.Handler
	}{
		{"list/floor", "/api/playlists", floor}, {"list/api", "/api/playlists", a},
		{"one/floor", "/api/playlists/" + uid, floor}, {"one/api", "/api/playlists/" + uid, a},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequestWithContext(b.Context(), "GET", c.target, nil)
					r.Header.Set("Authorization", "Bearer "+secret.Secret())
					w := httptest.NewRecorder()
					if c.handler.ServeHTTP(w, r); w.Code != 200 {
						b.Fatal(w.Body)
					}
				}
			})
		})
	}
}
