package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

func TestSQLitePreparesStatementsOnce(t *testing.T) {
	t.Parallel()
	r := recorder{statements: map[string][]any{}}
	s, err := store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "slipway.db")}.Wrapped(r.wrap))
	if err != nil {
		t.Fatal(err)
	}
	create := func() {
		t.Helper()
		items := []host.PlaylistItem{{Type: host.DashboardByTag, Value: "a"}, {Type: host.DashboardByTag, Value: "b"}}
		must(s.CreatePlaylist(t.Context(), org, host.Playlist{Name: "made", Interval: "5m", Items: items}))(t)
	}
	create()
	before := r.prepared
	create()
	if before == 0 || r.prepared != before {
		t.Errorf("%d statements prepared, then %d more", before, r.prepared-before)
	}

	for n := range 1000 {
		if err := s.Exec(t.Context(), fmt.Sprintf("UPDATE database_identity SET probed_at = $1 WHERE probed_at = %d", -n), n); err != nil {
			t.Fatal(err)
		}
	}
	if r.open > 500 {
		t.Errorf("%d of %d statements are open", r.open, r.prepared)
	}
	create()
	if err := s.Close(); err != nil || r.open != 0 {
		t.Errorf("after Close, %d statements are open; error %v", r.open, err)
	}
}
