package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
)

// TestQuota fills an organization to the maximum and makes room again.
func TestQuota(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	s, ctx := open(t, store.Options{Clock: func() time.Time { return now }}), t.Context()
	create := func(title string) error {
		_, err := s.CreateFolder(ctx, org, host.Folder{Title: title})
		return err
	}
	if err := create("a"); err != nil { // the host knows the count from now on
		t.Fatal(err)
	}
	if err := s.AddFolders(ctx, org, gate.MaxFolders-2); err != nil { // as another host does
		t.Fatal(err)
	}
	now = now.Add(2 * time.Minute)
	if err := create("b"); err != nil {
		t.Errorf("the last folder: %v", err)
	}
	for range 2 {
		if err := create("c"); !errors.Is(err, host.ErrThrottled) || err.Error() != "the maximum is 10000 folders; delete what is not in use" {
			t.Errorf("one more: %v", err)
		}
	}
	if _, err := s.DeleteFolder(ctx, org, "u1", 0, nil); err != nil {
		t.Fatal(err)
	}
	if err := create("c"); err != nil {
		t.Errorf("in place of a deleted one: %v", err)
	}
	if _, err := s.CreatePlaylist(ctx, org, host.Playlist{Name: "p", Interval: "5m"}); err != nil {
		t.Errorf("a playlist: %v", err)
	}
}
