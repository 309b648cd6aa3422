package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
)

// Long reads wait for each other, but do not keep short ones waiting.
func TestLongReads(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	d := must(s.SaveDashboard(ctx, org, host.Dashboard{Title: "Board"}, store.Save{}))(t)
	p := must(s.CreatePlaylist(ctx, org, host.Playlist{Name: "List", Interval: "5m"}))(t)
	end, err := s.HoldLong(context.WithoutCancel(ctx))
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := s.Dashboard(impatient, org, d.UID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a dashboard while other long reads run: %v", err)
	}
	if _, err := s.PlaylistDashboards(impatient, org, p.UID, store.Page{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("dashboards of a playlist while other long reads run: %v", err)
	}
	must(s.Playlist(ctx, org, p.UID))(t)
	end()
	must(s.Dashboard(ctx, org, d.UID))(t)
}
