package host_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/internal/testkit"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

func TestPlaylistNormalize(t *testing.T) {
	t.Parallel()
	item := func(value string, order float64) hostapi.PlaylistItem {
		return hostapi.PlaylistItem{Type: host.DashboardByTag, Value: value, Order: order}
	}
	in := hostapi.Playlist{Name: "p", Interval: "5m", Items: []hostapi.PlaylistItem{item("c", 30), item("a", 2), item("b", 2)}}
	out := testkit.Must(host.NormalizePlaylist(in))(t)
	var got strings.Builder
	for _, i := range out.Items {
		fmt.Fprint(&got, i.Order, i.Value)
	}
	if got.String() != "1a2b3c" {
		t.Errorf("order of the items: %s, want 1a2b3c", got.String())
	}
	if in.Items[0].Order != 30 {
		t.Error("NormalizePlaylist changed its argument")
	}
	for field, p := range map[string]hostapi.Playlist{
		"name: is":      {Name: " \u2003", Interval: "5m"},
		"name: must be": {Name: "\xff", Interval: "5m"},
		"items: must not have more than 1000 entries, found 1001": {Name: "p", Interval: "5m", Items: slices.Repeat([]hostapi.PlaylistItem{item("a", 1)}, 1001)},
		"items[0].value: must be 1 to 40":                         {Name: "p", Interval: "5m", Items: []hostapi.PlaylistItem{{Type: host.DashboardByUID, Value: "a b"}}},
	} {
		if _, err := host.NormalizePlaylist(p); !errors.Is(err, host.ErrInvalid) || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: got %v", field, err)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"My PlayList", "mY pLAYlIST"}, {"ÄÖÜ", "äöü"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"K", "\u212a"}} {
		if host.Fold(pair[0]) != host.Fold(pair[1]) {
			t.Errorf("%q and %q fold to different strings", pair[0], pair[1])
		}
	}
	if host.Fold("a") == host.Fold("ä") {
		t.Error("a and ä fold to the same string")
	}
}
