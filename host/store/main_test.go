package store_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/host/store"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

// envWriter names a database to which the test binary writes until it is killed.
const envWriter = "SLIPWAY_TEST_WRITER"

func TestMain(m *testing.M) {
	if file := os.Getenv(envWriter); file != "" {
		fmt.Fprintln(os.Stderr, write(file))
		os.Exit(1)
	}
	os.Exit(runTests(m))
}

// write stores playlists and prints their uids.
func write(file string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Database: file})
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		p, err := s.CreatePlaylist(ctx, store.MainOrg, hostapi.Playlist{Name: fmt.Sprint("playlist ", n), Interval: "5m",
			Items: []hostapi.PlaylistItem{{Type: host.DashboardByTag, Value: "a"}, {Type: host.DashboardByTag, Value: "b"}}})
		if err != nil {
			return err
		}
		fmt.Println(p.UID)
	}
}
