package store_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func newPlaylist(ctx context.Context, s *store.Store, name string) (string, error) {
	p, err := s.CreatePlaylist(ctx, org, hostapi.Playlist{Name: name, Interval: "5m"})
	return p.UID, err
}

// A write to a full database is refused with the reason, what was acknowledged can be read, and
// writes succeed again when there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	fill, empty := "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1073741823"
	if onPostgres() {
		testkit.OK(t, s.Exec(ctx, `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
			$$BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END$$`))
		fill, empty = "CREATE TRIGGER p BEFORE INSERT ON playlists EXECUTE FUNCTION full_disk()", "DROP TRIGGER p ON playlists"
	}
	testkit.OK(t, s.Exec(ctx, fill))
	var acknowledged []string
	var err error
	for n := 0; err == nil && n < 1000; n++ {
		var uid string
		if uid, err = newPlaylist(ctx, s, strings.Repeat("x", 100)); err == nil {
			acknowledged = append(acknowledged, uid)
		}
	}
	if !errors.Is(err, host.ErrFull) || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatalf("write to a full database: %v", err)
	}
	for _, uid := range acknowledged {
		testkit.Must(s.Playlist(ctx, org, uid))(t)
	}
	testkit.OK(t, s.Exec(ctx, empty))
	testkit.Must(newPlaylist(ctx, s, "x"))(t)
	t.Logf("%d acknowledged, then: %v", len(acknowledged), err)
}
