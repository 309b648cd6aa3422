package store_test

import (
	"errors"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/gate"
	"github.com/slipway-dev/slipway/host/store"
)

// TestQuota fills an organization to the maximum and makes room again.
func TestQuota(t *testing.T) {
	t.Parallel()
	s, ctx := open(t, store.Options{}), t.Context()
	create := func(title string) error {
		_, err := s.CreateFolder(ctx, org, host.Folder{Title: title})
		return err
	}
	if err := s.AddFolders(ctx, org, gate.MaxFolders-1); err != nil {
		t.Fatal(err)
	}
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
